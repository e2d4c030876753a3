#!/usr/bin/env bash
# Makes a searchable site from README.md, docs/ and the reference pages of the build, with MkDocs Material from PyPI;
# dead links are errors. Needs python3 with venv, and build/docs (scripts/build.sh).
#     scripts/docs.sh [--serve]     the site in build/site; --serve shows it on localhost:8000 instead
set -euo pipefail
export NO_MKDOCS_2_WARNING=1
cd "$(dirname "$0")/.."

venv=build/site-venv
if [ ! -x "$venv/bin/mkdocs" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet 'mkdocs-material>=9.5,<10'
fi
/usr/bin/env python3 scripts/site_pages.py build/site-pages build/docs
if [ "${1:-}" = --serve ]; then
    exec "$venv/bin/mkdocs" serve --strict --config-file build/site-pages/mkdocs.yml
fi
"$venv/bin/mkdocs" build --strict --config-file build/site-pages/mkdocs.yml
echo "build/site/index.html"
