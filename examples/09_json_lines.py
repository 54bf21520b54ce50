"""Pages as lines of JSON, for the next program in the pipe: python examples/09_json_lines.py https://example.org/ | jq .title

`pages` is a crawl as a loop. A slow loop slows the crawl, so nothing piles up; leaving the loop ends it.
"""

from __future__ import annotations

import asyncio
import json
import sys

import gossamer


async def main() -> None:
    async for page in gossamer.pages(*sys.argv[1:], max_depth=2, max_pages=50):
        line = {
            "url": page.url,
            "title": page.title,
            "language": page.language,
            "headings": [heading.text(strip=True) for heading in page.select("h1, h2")],
            "links": [link.url for link in page.links],
        }
        print(json.dumps(line))


with gossamer.script():  # Ctrl-C, and a next program that has read enough, end it quietly
    asyncio.run(main())
