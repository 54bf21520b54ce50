"""Text that reads like documentation and means nothing: paragraphs, titles and names from a seeded generator."""

from __future__ import annotations

from random import Random

_TEXT = (
    "access address archive argument array attribute batch binary block boundary buffer byte cache call channel class "
    "client clock code column command commit condition configuration connection constant context control counter "
    "cursor data default delay descriptor directory document domain element encoding entry error event example "
    "exception expression extension factor field file filter folder format frame function handle hash header host "
    "identifier index input instance integer interface interval item iterator journal kernel key language layer "
    "length level library limit line link list locale lock log loop machine mapping memory message method mode model "
    "module name network node number object offset operator option order output package page parameter parser path "
    "pattern pointer policy port position precision prefix process profile protocol queue random range record "
    "reference region request resource response result return robot root row rule runtime scheduler schema scope "
    "script section segment sequence server session shell signal size socket source space stack state statement "
    "status stream string structure suffix symbol syntax system table target task template thread time token trace "
    "transaction tree tuple type union unit update value variable vector version view window wire worker zone"
)
WORDS = _TEXT.split()
_VERBS = ("allocates", "checks", "closes", "compares", "copies", "keeps", "needs", "opens", "reads", "removes", "sends")
_RARE = ("naïve", "façade", "Größe", "œuvre", "≤", "…", "日本語", "crème")


def title(random: Random) -> str:
    """Two or three capitalized words."""
    return " ".join(random.sample(WORDS, random.randint(2, 3))).capitalize()


def paragraphs(random: Random, count: int) -> list[str]:
    """`count` different blocks of HTML without links, 300 to 1,000 characters each."""
    return [_listing(random) if i % 7 == 6 else _prose(random) for i in range(count)]


def _prose(random: Random) -> str:
    sentences = (_sentence(random) for _ in range(random.randint(4, 9)))
    return f"<p>{' '.join(sentences)}</p>\n"


def _sentence(random: Random) -> str:
    subject, thing, other = random.sample(WORDS, 3)
    tail = random.choice(_RARE) if random.random() < 0.05 else f"<code>{other}_{random.randint(1, 99)}</code>"
    return (
        f"The {subject} {random.choice(_VERBS)} each <em>{thing}</em> of the {random.choice(WORDS)}, unless the "
        f"{random.choice(WORDS)} &amp; its {random.choice(WORDS)} say otherwise: {tail}."
    )


def _listing(random: Random) -> str:
    lines = (
        f"<span class=n>{random.choice(WORDS)}</span> = {random.choice(WORDS)}(<span class=m>{random.randint(0, 255)}"
        f"</span>)  <span class=c># {random.choice(WORDS)} &lt; {random.choice(WORDS)}</span>"
        for _ in range(random.randint(4, 10))
    )
    return "<div class=highlight><pre>" + "\n".join(lines) + "</pre></div>\n"
