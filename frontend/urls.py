"""The site's own pages."""

from django.urls import path

from frontend.views import campaigns, gallery, people, settings, site, subjects, table

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
