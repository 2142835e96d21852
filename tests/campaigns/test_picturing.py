"""What becomes of a picture's file: its kind is found by decoding it, and nothing but the picture is kept."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from PIL import Image

from campaigns import picturing
from campaigns.picturing import MOST_BYTES, make
from rules.refusal import Refused
from tests.campaigns.photos import bomb, opened, photo, telling


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_the_three_kinds_are_kept_as_webp(kind: str) -> None:
    made = make(photo(40, 30, kind), "portrait")
    image = opened(made.data)
    assert (image.format, image.size, made.width, made.height) == ("WEBP", (40, 30), 40, 30)
    assert made.media_type == "image/webp"
    red, blue = image.convert("RGB").getpixel((5, 5)), image.convert("RGB").getpixel((35, 25))
    assert red[0] > 180 and red[2] < 80 and blue[2] > 120 and blue[0] < 80


# 3000 by 1500 on a longest side of 512 is 512 by 256; what is smaller stays as it is.
@pytest.mark.parametrize("use, size", [("portrait", (512, 256)), ("map", (2048, 1024)), ("handout", (2048, 1024))])
def test_sizes_are_sensible(use: str, size: tuple[int, int]) -> None:
    made = make(photo(3000, 1500), use)
    assert (made.width, made.height) == size == opened(made.data).size
    assert opened(make(photo(60, 20), use).data).size == (60, 20)


def test_where_and_by_what_it_was_taken_is_gone_and_it_stands_upright() -> None:
    sent = telling(40, 30)
    assert b"CanaryCamera" in sent and opened(sent).getexif().get_ifd(0x8825)
    made = make(sent, "portrait")
    assert b"CanaryCamera" not in made.data and b"EXIF" not in made.data
    kept = opened(made.data)
    assert not kept.getexif() and set(kept.info) <= {"loop", "background", "timestamp", "duration"}
    # Lying on its right side (orientation 6), it is turned: 40 by 30 becomes 30 by 40, the red quarter upper right.
    assert kept.size == (30, 40)
    assert kept.convert("RGB").getpixel((25, 5))[0] > 180 > kept.convert("RGB").getpixel((5, 35))[0]


def test_texts_profiles_and_what_hangs_on_behind_are_gone() -> None:
    from PIL.PngImagePlugin import PngInfo

    told = PngInfo()
    told.add_text("Comment", "CanaryComment")
    sent = photo(kind="PNG", pnginfo=told, icc_profile=b"CanaryProfile" * 20) + b"<script>CanaryScript</script>"
    kept = make(sent, "handout").data
    assert b"Canary" not in kept and b"ICCP" not in kept


def gone_over(times: int) -> bytes:
    """A JPEG of 2000 by 2000 in which one of its scans stands so many times over, each as costly as a picture."""
    target = BytesIO()
    Image.new("L", (2000, 2000), 128).save(target, "JPEG", progressive=True, quality=50)
    data = target.getvalue()
    scans = [at for at in range(len(data)) if data[at : at + 2] == b"\xff\xda"]
    second, third = scans[1], scans[2]
    return data[:third] + data[second:third] * times + data[third:]


@pytest.mark.parametrize("data", [gone_over(200), photo()[:2] + b"\xff\xfe\0\2" * 30_000 + photo()[2:]])
def test_a_file_of_too_many_parts_is_refused_before_it_is_decoded(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "open", lambda *_, **__: pytest.fail("decoded"))
    with pytest.raises(Refused) as caught:
        make(data, "portrait")
    assert (caught.value.code, caught.value.field) == ("too_many_parts", "data")


def test_what_comes_into_view_step_by_step_is_a_picture_as_any_other() -> None:
    assert make(photo(64, 48, progressive=True), "portrait")[2:] == (64, 48)
    assert make(gone_over(4), "portrait")[2:] == (512, 512)


def test_of_many_at_once_few_wait_and_the_others_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who reads pages is not kept waiting by threads that all hold a picture."""
    begun, go_on = threading.Semaphore(0), threading.Event()
    slowly = picturing._make

    def one(data: bytes, longest: int) -> picturing.Made:
        begun.release()
        assert go_on.wait(20)
        return slowly(data, longest)

    monkeypatch.setattr(picturing, "_make", one)
    with ThreadPoolExecutor(picturing.MOST_AT_ONCE) as threads:
        waiting = [threads.submit(make, photo(20 + i, 77), "portrait") for i in range(picturing.MOST_AT_ONCE)]
        begun.acquire()
        while picturing._waiting._value:  # type: ignore[attr-defined]
            time.sleep(0.001)
        with pytest.raises(Refused) as caught:
            make(photo(70, 71), "portrait")
        go_on.set()
        assert [one.result().width for one in waiting] == [20, 21, 22]
    assert caught.value.code == "busy"
    assert make(photo(70, 71), "portrait").width == 70


def test_what_is_seen_through_stays_so() -> None:
    kept = opened(make(photo(kind="PNG", colour=(10, 200, 10, 0)), "portrait").data)
    assert kept.mode == "RGBA" and kept.getpixel((35, 25))[3] == 0


WRONG = {
    "a text": b"hello",
    "nothing": b"",
    "a page": b"<html><script>alert(1)</script></html>",
    "a drawing": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "a GIF": photo(kind="GIF"),
    "a BMP": photo(kind="BMP"),
    "a TIFF": photo(kind="TIFF"),
    "a document": b"%PDF-1.7\n",
}


@pytest.mark.parametrize("what", WRONG)
def test_other_kinds_are_refused_whatever_they_are_called(what: str) -> None:
    with pytest.raises(Refused) as caught:
        make(WRONG[what], "handout")
    refused = caught.value
    assert (refused.code, refused.field) == ("no_picture", "data") and "PNG, JPEG or WebP" in (refused.right or "")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_cut_off_is_refused(kind: str) -> None:
    whole = photo(400, 300, kind)
    with pytest.raises(Refused) as caught:
        make(whole[: len(whole) // 2], "handout")
    assert caught.value.code in ("broken_picture", "no_picture") and caught.value.field == "data"


@pytest.mark.parametrize("size", [(30_000, 30_000), (5001, 5000), (65_000, 400)])
def test_bombs_are_refused_before_anything_is_unpacked(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image.Image, "load", lambda self: pytest.fail("unpacked"))
    data = bomb(*size)
    assert len(data) < 200
    with pytest.raises(Refused) as caught:
        make(data, "map")
    assert caught.value.code == "too_many_pixels" and "25 million" in (caught.value.right or "")


def test_files_that_are_too_large_are_not_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picturing, "_opened", lambda data: pytest.fail("looked into"))
    with pytest.raises(Refused) as caught:
        make(b"\0" * (MOST_BYTES + 1), "map")
    assert (caught.value.code, caught.value.value) == ("too_large", MOST_BYTES + 1)


def test_a_picture_that_stays_long_is_kept_at_less_quality(monkeypatch: pytest.MonkeyPatch) -> None:
    import random

    noise = Image.frombytes("RGB", (300, 300), random.Random(1).randbytes(300 * 300 * 3))
    best = len(picturing._written(noise))
    monkeypatch.setattr(picturing, "ENOUGH", best - 1)
    assert len(picturing._written(noise)) < best


def test_what_was_made_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    data = photo(71, 33)
    first = make(data, "map")
    monkeypatch.setattr(picturing, "_make", lambda data, longest: pytest.fail("again"))
    assert make(data, "map") is first
