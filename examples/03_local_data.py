"""Count words without a lock: python examples/03_local_data.py https://example.org/

Each toe has a crawler of its own, so each counts for itself. What a crawler leaves in `local_data` is collected in
`controller.local_data`, in the order of their ids, and added up when the crawl is over.
"""

from __future__ import annotations

import sys
from collections import Counter

import gossamer


class Counting(gossamer.WebCrawler):
    def on_start(self) -> None:
        self.words: Counter[str] = Counter()
        self.local_data = self.words

    def visit(self, page: gossamer.Page) -> None:
        self.words.update(word for word in page.text.lower().split() if word.isalpha())

    def on_finish(self) -> None:
        print(f"crawler {self.id}: {self.words.total()} words")


with gossamer.script():
    controller = gossamer.CrawlController(max_depth=2)
    controller.add_seeds(sys.argv[1:])
    controller.start(Counting, toes=3)

total = sum(controller.local_data, Counter[str]())
print(f"all: {total.total()} words, {len(total)} different")
for word, times in total.most_common(5):
    print(f"{times:6} {word!r}")
