"""Every address of the site, by app."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from deploy import health

handler404 = "frontend.views.lost.missing"
handler403 = "frontend.views.lost.denied"

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("healthz", health.healthz, name="healthz"),
    path("metrics", health.metrics, name="metrics"),
    path("", include("frontend.urls")),
    # Last, because it answers for every address below its own.
    path("api/", include("campaigns.api.urls")),
]
