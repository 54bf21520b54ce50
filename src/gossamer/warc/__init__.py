"""The archive: WARC/1.1 records made of exchanges, written to a few files side by side, and checked.

`records` makes them, `writer` and `pool` write them so that no crash can part archive and store, `files` and `verify`
are what recovery asks, `cdx` lists what is there. The order in which things reach the disk is told in `pool`.
"""

from gossamer.warc.cdx import cdxj_lines
from gossamer.warc.files import ArchiveFiles
from gossamer.warc.pool import Lease, WarcLedger, WarcPool
from gossamer.warc.records import Capture, DnsLookup, Record, RecordBuilder
from gossamer.warc.verify import ArchiveReport, FileReport, check_file, check_files, check_folder, is_whole
from gossamer.warc.writer import WarcFile

__all__ = [
    "ArchiveFiles",
    "ArchiveReport",
    "Capture",
    "DnsLookup",
    "FileReport",
    "Lease",
    "Record",
    "RecordBuilder",
    "WarcFile",
    "WarcLedger",
    "WarcPool",
    "cdxj_lines",
    "check_file",
    "check_files",
    "check_folder",
    "is_whole",
]
