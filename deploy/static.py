"""Static files with the hash of their content in the name, our JavaScript modules' imports included."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

_MODULE_IMPORTS = CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns


class StaticStorage(CompressedManifestStaticFilesStorage):
    """Names change with content, so that browsers may keep a file for ever and an upgrade reaches them at once.

    Imports are rewritten in our own modules only: in other packages' files the pattern also finds imports in comments.
    """

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("frontend/*.js", _MODULE_IMPORTS[1]))
