"""The frontier: every URI of the crawl that waits, and the order and pace in which they are handed out.

*The life of a URI.* A candidate comes to `schedule`, or with the page that links to it to `finish`. If its identity is
known it is dropped, and that is all. Else it gets a doc id and stands, stored, in the queue of its class_key, ordered
by priority, attempts, depth and doc id. When it is its turn `next` hands it to a toe. That writes nothing: the URI
still stands in its queue, so whatever happens to the toe or the process, it will be handed out again. It leaves its
queue in the `finish` that settles it: SUCCEEDED, FAILED and DISREGARDED keep the outcome in its seen record, RETRY
puts it back, in place or behind the fresh ones, as its charge says. That finish is one batch: fate, discoveries,
counters, the queue's row, the new ends of the archive files, and how to undo it all.

*The life of a queue.* A queue is a row in the store and, while it has something eligible, a place: among the
inactive, whose turn will come, or among the snoozed, whose time will. When toes are idle the first of them is made
active: an object on the workbench, with the few URIs at its front. It is READY; it gives a URI and is BUSY; the URI
is finished and the host must rest, so it is SNOOZED; its time comes and it is READY again. After a session of 100
finishes it goes to the end of the inactive ones, so that all queues get their turn. Without URIs it is EXHAUSTED and
dropped; the next URI scheduled brings it back. The operator may retire and revive it. `queue_state` has the table.

*Where things are kept.*

| what                       | in memory                                   | in the store                                   |
|----------------------------|---------------------------------------------|------------------------------------------------|
| URIs                       | a few heads per active queue, encoded       | `queue`, all of them until they are settled    |
| what is known of a URL     | some thousands of identities just asked for | `seen`, one record per URL ever scheduled      |
| queues                     | the active ones                             | `queues`, a row each                           |
| whose turn it is           | the ready deque; cursors                    | `inactive`, a FIFO per precedence              |
| who rests                  | a heap, at most 10,000, due within 60 s     | `snoozed` by wake time; the wake in each row   |
| counters                   | one record                                  | `meta`, in every batch                         |
| how to undo the last steps | -                                           | `journal`, since the last commit               |

*What is promised.* After `kill -9` at any moment every URL ever scheduled is there, waiting or settled, and what was
in process is handed out again. After a loss of power nothing is settled whose record is not whole on the disk. Doc
ids rise and are never used twice; the counters are exact. A host is not asked again before its rest is over, counted
from the start of the last request, over restarts and clocks that jump. Memory follows the queues at work, not the
number of URLs or hosts.

Modules: `base` is the contract; `local` keeps it on a KV, `memory` keeps it in plain dictionaries and is the
executable specification. `keys` and `records` are the layout of the store; `queue_state`, `politeness`, `precedence`
are pure rules; `workqueue`, `workbench`, `shelf`, `turns`, `dispatch` find the next URI and who gets it; `ledger`,
`scheduling`, `finishing`, `hosts`, `captures`, `operations`, `journal`, `recovery` change the store; `report` and
`validation` tell about it.
"""

from gossamer.frontier.base import (
    Frontier,
    FrontierCounts,
    FrontierTarget,
    QueueReport,
    RobotsRecord,
    Seen,
)
from gossamer.frontier.keys import COOKIES, FAMILIES
from gossamer.frontier.local import LocalFrontier
from gossamer.frontier.recovery import ArchiveFiles, NoFiles, Recovery, close_files, recover

__all__ = [
    "COOKIES",
    "FAMILIES",
    "ArchiveFiles",
    "Frontier",
    "FrontierCounts",
    "FrontierTarget",
    "LocalFrontier",
    "NoFiles",
    "QueueReport",
    "Recovery",
    "RobotsRecord",
    "Seen",
    "close_files",
    "recover",
]
