#!/usr/bin/env python3
"""Gathers the pages of the site: README.md, CONTRIBUTING.md, docs/ and the reference pages.

    site_pages.py FOLDER REFERENCE     writes FOLDER/mkdocs.yml and FOLDER/pages; REFERENCE is build/docs

A link to a page becomes a link within the site. A picture is copied. A link to another file of the repository becomes a link
to it below REPOSITORY, if that variable has the address of the repository, and else plain text.
"""
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GUIDES = ("start", "kernels", "running", "checking", "programs", "python", "toolkit", "models", "formats", "internals")
REFERENCE = ("instructions", "operations", "cpp_api", "commands", "diagnostics", "checkers", "fields", "assembler", "architectures",
             "open_rules", "coverage", "timing_coverage")
CONFIGURATION = """site_name: ptosim
docs_dir: pages
site_dir: {site}
use_directory_urls: false
theme:
  name: material
  features: [navigation.sections, navigation.top, search.highlight, content.code.copy]
plugins: [search]
markdown_extensions: [tables, fenced_code, toc, pymdownx.tilde]
validation:
  links: {{not_found: warn, anchors: warn, absolute_links: warn}}
nav:
  - ptosim: index.md
  - Guides:
{guides}
  - Evidence: evidence.md
  - Contributing: contributing.md
  - Reference:
{reference}
"""


def pages(reference):
    """{page of the site: its source}"""
    found = {"index.md": ROOT / "README.md", "contributing.md": ROOT / "CONTRIBUTING.md", "evidence.md": ROOT / "docs" / "evidence.md"}
    found.update({f"{name}.md": ROOT / "docs" / f"{name}.md" for name in GUIDES})
    found.update({f"reference/{name}.md": reference / f"{name}.md" for name in REFERENCE})
    return found


def relinked(text, page, source, where, out):
    """The text of a page with links for the site; pictures are copied."""
    def link(match):
        bang, words, target, anchor = match[1], match[2], match[3], match[4] or ""
        if re.match(r"[a-z]+:", target) or not target:
            return match[0]
        path = (source.parent / target).resolve()
        if path in where:
            return f"{bang}[{words}]({os.path.relpath(where[path], os.path.dirname(page) or '.')}{anchor})"
        if bang:
            copy = out / "pictures" / path.name
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, copy)
            return f"![{words}]({os.path.relpath('pictures/' + path.name, os.path.dirname(page) or '.')})"
        if not path.exists():
            raise SystemExit(f"{source}: {target} does not exist")
        address = os.environ.get("REPOSITORY")
        return f"[{words}]({address}/{path.relative_to(ROOT)})" if address else words

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    parts[::2] = [re.sub(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)", link, part) for part in parts[::2]]
    return "".join(parts)


def main():
    folder, reference = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    out = folder / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    out.mkdir(parents=True)
    found = pages(reference)
    where = {source.resolve(): page for page, source in found.items()}
    for page, source in found.items():
        (out / page).parent.mkdir(exist_ok=True)
        (out / page).write_text(relinked(source.read_text(encoding="utf-8"), page, source, where, out), encoding="utf-8")
    lists = {"guides": "\n".join(f"      - {name}.md" for name in GUIDES),
             "reference": "\n".join(f"      - reference/{name}.md" for name in REFERENCE)}
    (folder / "mkdocs.yml").write_text(CONFIGURATION.format(site=(folder.parent / "site").resolve(), **lists))


if __name__ == "__main__":
    main()
