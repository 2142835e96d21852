"""Puts the campaigns' admin site in the place of Django's. Apart, because it is named before any model is loaded."""

from django.contrib.admin.apps import AdminConfig


class CampaignAdminConfig(AdminConfig):
    """Django's admin with our own site."""

    default_site = "campaigns.admin_site.CampaignAdminSite"
