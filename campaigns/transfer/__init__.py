"""Campaigns as files: exported whole or as one member sees them, checked, and imported on another server."""
