"""The site's own pages."""

from django.urls import path

from frontend.views import calendar, calls, campaigns, gallery, marks, pairs, people, settings, site, subjects, table

urlpatterns = [
    path("", campaigns.home, name="home"),
    path("start/", campaigns.start, name="start"),
    path("join/<uuid:campaign_id>/<slug:link>/<str:token>/", campaigns.join, name="join"),
    path("c/<uuid:campaign_id>/", table.home, name="campaign"),
    path("c/<uuid:campaign_id>/ledger/", table.ledger, name="ledger"),
    path("c/<uuid:campaign_id>/characters/", subjects.every, name="subjects"),
    path("c/<uuid:campaign_id>/characters/new/", subjects.new, name="new_subject"),
    path("c/<uuid:campaign_id>/characters/<slug:subject>/", subjects.one, name="subject"),
    path("c/<uuid:campaign_id>/characters/<slug:subject>/change/", subjects.change, name="change_subject"),
    path("c/<uuid:campaign_id>/characters/<slug:subject>/pairs/roll/", pairs.roll, name="roll_pairs"),
    path("c/<uuid:campaign_id>/characters/<slug:subject>/pairs/place/", pairs.place, name="place_pairs"),
    path("c/<uuid:campaign_id>/characters/<slug:subject>/pairs/enter/", pairs.enter, name="enter_pairs"),
    path("c/<uuid:campaign_id>/characters/<slug:subject>/pairs/confirm/", pairs.confirm, name="confirm_pairs"),
    path("c/<uuid:campaign_id>/characters/<slug:subject>/marks/new/", marks.new, name="new_mark"),
    path("c/<uuid:campaign_id>/tests/", calls.every, name="tests"),
    path("c/<uuid:campaign_id>/tests/new/", calls.new, name="new_test"),
    path("c/<uuid:campaign_id>/tests/<slug:call>/", calls.one, name="test"),
    path("c/<uuid:campaign_id>/marks/roll/", marks.advance, name="roll_advancement"),
    path("c/<uuid:campaign_id>/marks/<slug:mark>/", marks.answer, name="answer_mark"),
    path("c/<uuid:campaign_id>/calendar/", calendar.show, name="calendar"),
    path("c/<uuid:campaign_id>/calendar/lever/", calendar.lever, name="lever"),
    path("c/<uuid:campaign_id>/calendar/<slug:rung>/<int:number>/", calendar.closed, name="report"),
    path("c/<uuid:campaign_id>/people/", people.members, name="people"),
    path("c/<uuid:campaign_id>/people/leave/", people.leave, name="leave"),
    path("c/<uuid:campaign_id>/people/links/", people.make_link, name="make_link"),
    path("c/<uuid:campaign_id>/people/links/<slug:link>/revoke/", people.revoke_link, name="revoke_link"),
    path("c/<uuid:campaign_id>/people/<slug:member>/", people.person, name="person"),
    path("c/<uuid:campaign_id>/settings/", settings.settings, name="settings"),
    path("account/", site.account, name="account"),
    path("theme/", site.theme, name="theme"),
    path("gallery/", gallery.gallery, name="gallery"),
]
