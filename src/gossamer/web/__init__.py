"""The surfaces that a job shows to its owner: the control API, over HTTP on `control.sock` in the job's folder.

`door` opens and closes it with the crawl; `control` is the table of routes; `application` and `server` carry it over
HTTP, each the only one to know its library; `guard` keeps web pages out; `openapi` describes it.
"""

from gossamer.web.door import ControlDoor

__all__ = ["ControlDoor"]
