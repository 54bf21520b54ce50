"""The command line: what a person types, what they see while a crawl runs, and what the shell is told at the end.

A command turns its options into a CrawlConfig and a job folder (`preparing`), runs the job in the foreground under a
view of its progress (`foreground`, `glance`, `render`, `plain`), and reports (`report`). Typer is known to the modules
that declare commands, Rich to `render` alone.
"""
