"""Takes the pictures of pages in docs/pictures, of the demo's own run.

nearstar demo && python docs/make_screenshots.py nearstar-demo.html     (needs Playwright, Chromium)
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).parent / "pictures"
WIDTH = 1120
COLOURS = 96
"""In a picture: enough for flat colours and their edges, and a third of the bytes."""


def main() -> None:
    page_file = Path(sys.argv[1]).resolve()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for scheme, section, height in (
            ("light", "program", 660),
            ("light", "ethogram", 900),
            ("dark", "search", 820),
            ("light", "programs", 760),
        ):
            page = browser.new_page(
                viewport={"width": WIDTH, "height": height}, color_scheme=scheme
            )
            page.goto(page_file.as_uri())
            scroll_to(page, "#search .programs-tree" if section == "programs" else f"#{section}")
            if section == "ethogram":
                point_at(page)
            save(page.screenshot(), FOLDER / f"page-{section}.png")
        browser.close()


def scroll_to(page: Page, selector: str) -> None:
    """Below the line of links."""
    page.locator(selector).evaluate(
        "element => scrollTo(0, element.getBoundingClientRect().top + scrollY - 50)"
    )


def point_at(page: Page) -> None:
    """Show the numbers at a frame."""
    box = page.locator("#ethogram [role=slider]").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.42, box["y"] + 10)


def save(png: bytes, path: Path) -> None:
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
