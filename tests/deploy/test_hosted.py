"""The hosted set-up: pages under WSGI, sockets under ASGI, worker and beat on Redis."""

import json
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
import websockets.sync.client
from websockets.exceptions import InvalidStatus

from tests.services.network import status, until


def read(hosted, path):
    connection = HTTPConnection("127.0.0.1", urlsplit(hosted.url).port, timeout=5)
    connection.request("GET", path, headers={"Host": "localhost"})
    answer = connection.getresponse()
    return answer, answer.read()


@pytest.mark.hosted
def test_all_parts_work_behind_one_address(standing):
    hosted = standing
    until(lambda: json.loads(read(hosted, "/healthz")[1])["parts"]["jobs"] == "ok", 40, "the first tick")
    assert read(hosted, "/accounts/login/")[0].status == 200
    static, _ = read(hosted, "/static/admin/css/base.css")
    assert static.status == 200
    assert read(hosted, "/metrics")[0].status == 403
    with pytest.raises(InvalidStatus) as caught:
        websockets.sync.client.connect(hosted.url.replace("http", "ws") + "/ws/nowhere/", origin=hosted.url)
    assert caught.value.response.status_code == 403


def test_a_killed_worker_is_missed_and_comes_back(hosted):
    until(lambda: json.loads(read(hosted, "/healthz")[1])["parts"]["jobs"] == "ok", 40, "the first tick")
    hosted.kill("worker")
    until(lambda: json.loads(read(hosted, "/healthz")[1])["parts"]["jobs"] == "late", 20, "late jobs")
    hosted.start()
    until(lambda: json.loads(read(hosted, "/healthz")[1])["parts"]["jobs"] == "ok", 40, "ticks again")
    assert status(hosted.pages) == 200
