"""Crawl what only members see: python examples/08_login_form.py https://example.org/login https://example.org/members/

The form is fetched, filled in and sent before the first page of its site, hidden fields and all; the cookie that
answers it goes with every request to that site, and to no other. Name and password come from the environment: they
stand in no program, no history and no log.

    MEMBER_NAME=alice MEMBER_PASSWORD=… python examples/08_login_form.py …
"""

from __future__ import annotations

import argparse

import gossamer


class Printing(gossamer.WebCrawler):
    def should_visit(self, page: gossamer.Page, url: gossamer.Link) -> bool:
        return "logout" not in url.path

    def visit(self, page: gossamer.Page) -> None:
        print(f"{page.url} {page.title!r}")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("form")
parser.add_argument("start")
given = parser.parse_args()

with gossamer.script():
    fields = {"username": "env:MEMBER_NAME", "password": "env:MEMBER_PASSWORD"}
    form = gossamer.LoginForm(page=given.form, fields=fields)
    controller = gossamer.CrawlController(login=gossamer.Login(forms=(form,)))
    controller.add_seed(given.start)
    controller.start(Printing)
