"""What is wrong with the files of an application, compared with each other and with what is installed.

`lint_folder` looks at a package as `ManifestApplication` reads it, `lint_service_model` at a
service model alone. Nothing here imports a simulator: what a cluster knows comes as `Vocabulary`.
"""

from __future__ import annotations

from sregym_apps.lint.extensions import lint_extension
from sregym_apps.lint.folder import lint_folder, lint_service_model

__all__ = ["lint_extension", "lint_folder", "lint_service_model"]
