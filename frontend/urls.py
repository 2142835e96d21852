"""The site's own pages."""

from django.urls import path

from frontend.views import gallery, site

urlpatterns = [
    path("", site.home, name="home"),
    path("account/", site.account, name="account"),
    path("theme/", site.theme, name="theme"),
    path("gallery/", gallery.gallery, name="gallery"),
]
