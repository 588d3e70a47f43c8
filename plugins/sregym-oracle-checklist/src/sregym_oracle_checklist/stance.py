"""How something is said: as a cause, as an effect, as ruled out, as a guess, or to the judge."""

from __future__ import annotations

import re


def _said(words: str) -> re.Pattern[str]:
    """What people write, in any case."""
    return re.compile(words, re.IGNORECASE)


# Links between parts of a sentence. What follows is a cause, an effect, cleared of blame, or new.
_CAUSE = (
    r"because of|because|due to|caused by|as a (?:direct )?(?:result|consequence) of|owing to|on account of"
    r"|stem(?:s|med|ming)? from|result(?:s|ed|ing)? from|trac(?:e[sd]?|ing) (?:it |this |them |the \w+ )?(?:all the way )?(?:back |down )?to"
    r"|attribut(?:ed|able) to|originat(?:es|ed|ing) (?:from|in|with)|com(?:es?|ing) (?:down )?(?:from|to)|boils? down to"
    r"|triggered by|driven by|brought down by|explained by|rooted in|since(?! \d| the (?:last|deploy|start|begin|alert)|,)"
    r"|given that|the reason (?:is|being|for (?:this|that) is)(?: that)?|thanks to|and that is because|as(?= (?:its|the|their|there) (?:[`\w.-]+ ){0,5}(?:is|are|was|were|has|have|does|cannot|can't)\b)"
)
_EFFECT = (
    r"so that|so(?! far|-|\w)|therefore|thus|hence|consequently|as a (?:result|consequence)|which (?:is|was) why|(?:that is|that's|this is) why"
    r"|which (?:then |in turn |also |now |therefore )*(?:caus(?:es|ed)|makes?|made|means?|meant|leads?|led|breaks?|broke|leaves?|left|prevents?|prevented"
    r"|results?|resulted|triggers?|triggered|cascad\w+|takes?|took|stops?|stopped|blocks?)(?: that)?|this (?:caus(?:es|ed)|makes?|means?|leads?|breaks?|prevents?)"
    r"|causing|leading to|leads? to|led to|resulting in|results? in|resulted in|making|leaving|breaking|preventing|triggering"
    r"|cascad(?:es|ed|ing)(?: up)?(?: to| into| through)?|caus(?:es|ed)(?! by)|propagat(?:es|ed|ing)|in turn|=>|⇒|and (?:then|now)|meaning(?: that)?|downstream of (?:this|that)"
)
_CLEARED = (
    r"(?:is|are|was|were)?(?:\bnot|n't|\bnever)\s+(?:actually |really |directly |itself |themselves )*(?:caused by|due to|because of|attributable to|the fault of|a (?:problem|matter|question) (?:of|with|in))"
    r"|(?:problem|issue|cause|fault|defect|bug)s? (?:is|was|lies|are)(?: not|n't) (?:in|with|from)|rather than|\bnot(?= (?:the|an?|by|because|due) )|(?:(?<=, )|(?<=,)|\band |\bbut )not(?= (?:(?:in|with|from) |[`\"]?\w+(?:[- ]\w+)?[`\"]? ?(?:$|[.,;)])))|unrelated to|nothing to do with|has nothing to do with"
    r"|(?:does|do|did|is|are)(?: not|n't) suffer\w* from|as opposed to|as a symptom of|in spite of|despite|not because(?: of)?"
)
_TURN = r"but|while|whereas|however|although|though|even though|yet|on the other hand|meanwhile|instead(?! of)"
LINK = _said(
    rf"[,:]?\s*(?<![\w-])(?:(?P<cleared>{_CLEARED})|(?P<cause>{_CAUSE})|(?P<effect>{_EFFECT})|(?P<turn>{_TURN}))(?![\w-])",
)
ARROW = re.compile(r"\s*(?:-+>|→|➜|➡)\s*")

# The sentence itself says that it gives the root cause.
EXPLICIT = _said(
    r"\broot[- ]?caus\w*|\bculprit|\bat fault\b|\bto blame\b|\bresponsible for\b|\bdiagnos(?:is|ed|e)\b"
    r"|\bthe (?:actual |real |underlying |true |only |main |primary |core |ultimate |initial )*(?:cause|fault|defect|problem|issue|bug|misconfiguration|trouble|failure|error|origin|offender)"
    r"(?: itself| here| here's)?(?:'s)? (?:is|was|lies|lay|sits|originates|appears to be|seems to be|must be|comes)\b"
    r"|\bthe (?:broken|faulty|defective|misconfigured|offending) (?:component|service|part|object|piece|resource|one)\b"
    r"|\b(?:is|are|was|were) what(?:'s| is| was)? (?:broke\w*|wrong|caus\w+)|\bwhat (?:is|was|went|broke)(?: actually)? (?:wrong|broken)?"
    r"|\b(?:cause|source) of (?:the|this|all|these)\b|\bcausing (?:the|this|all)\b|\bthe (?:incident|outage) (?:is|was)\b",
)
# `The root cause of the frontend errors is ...`: what stands inside suffers.
CAUSE_OF = _said(
    r"\b(?:cause|source|origin|reason|responsible) (?:of|for|behind) (?:(?!\.).){0,120}?(?= (?:is|was|are|lies|lay|turned out)\b|:)",
)

# Said of a thing that is all right, or that only suffers.
HEALTHY = _said(
    r"\b(?:is|are|was|were|looks?|seems?|appears?|remains?|stays?|being|works?|runs?|checks?|as|came back|checked out)\s+(?:all |both |perfectly |completely |totally |otherwise |just |still |itself |themselves |also |entirely )*"
    r"(?:fine|ok|okay|healthy|correct(?:ly)?|right|good|normal(?:ly)?|unaffected|intact|in order|as expected|as it should|up and running|running|ready|present|innocent|clean|valid|irrelevant|unchanged|untouched|good order|well)\b"
    r"|\b(?:is|are|was|were)?\s?(?:not|n't|never|neither|nor)\s+(?:\w+ )?(?:the |a |an |at |to |any )?(?:\w+ )?(?:root )?(?:causes?|culprit|problem|issue|fault|blame|broken|affected|involved|defective|misconfigured|responsible|source|origin|defect|misconfiguration|wrong|guilty|reason)\b"
    r"|\brul(?:ed?|ing) out\b|\bruled \w+ out\b|\bexclud(?:ed?|ing)\b|\bexonerat\w+|\bhealthy\b|\bred herring\b|\binnocent\b|\beliminated\b|\bdismiss\w*"
    r"|\bno (?:problem|issue|evidence|sign|signs|indication|trouble|fault|defect|anomal\w+|errors?|misconfiguration|mismatch|change)s?\b|\bnothing (?:is )?(?:wrong|unusual|abnormal|suspicious)\b|\bwithout (?:any )?(?:problem|issue)s?\b"
    r"|\b(?:only|just|merely|simply) (?:a |the )?(?:victims?|symptoms?|casualt\w+|affected|downstream|suffer\w*|collateral|consequences?)\b|\bvictims?\b|\bcollateral\b"
    r"|\b(?<!n't )(?<!not )(?<!never )(?<!longer )match(?:es)? (?:the|its|their|exactly|correctly|perfectly)\b|\bi (?:first |initially )?(?:also )?(?:checked|verified|confirmed|looked at|inspected)\b(?! that)",
)
# Said of what somebody believed before; what holds now comes later.
FORMER = _said(
    r"\b(?:initially|at first|first (?:i )?(?:thought|suspected|assumed)|originally|my first (?:guess|suspicion|hypothesis)|one might|you might|it (?:may |might )?(?:looks?|seems?|appears?) (?:like|as if|at first)"
    r"|i (?:had )?(?:suspected|assumed|thought)|looked like|seemed|was suspected|tempting|at first (?:glance|sight))\b",
)
HEDGE = _said(
    r"\b(?:might|may|could|possibl[ey]|perhaps|maybe|either|or|potential(?:ly)?|conceivably|not sure|unsure|unclear|unknown|uncertain|don't know|cannot tell|can't tell|one of|hypothes[ie]s|candidates?|suspects?|guess(?:es)?|any of)\b",
)
# Asked, supposed or still to be looked at: nothing is claimed.
OPEN_QUESTION = _said(
    r"\?\s*[\"')]*$|^\W*(?:if|suppose|supposing|assuming|imagine|unless)\b|\b(?:check|verify|determine|investigate|examine|see|test|find out|look)(?: into)? (?:whether|if)\b|\bwhether\b",
)
# A defect of all of them names none.
EVERYBODY = _said(
    r"\b(?:all|every|each|any|several|most|many|various|multiple)(?: of)?(?: the| its| these)? (?:other )?(?:pods?|(?:micro)?services?|deployments?|components?|workloads?|containers?|databases?|config ?maps?)\b",
)
ALTERNATIVES = _said(r"\b(?:or|either|one of|any of|maybe|perhaps)\b")
# Behind a list of components: they bear the consequences of what was said before.
SUFFERS = _said(
    r"[`\"']?(?: services?| pods?| deployments?)? (?:(?:then|also|therefore|all|both|now) )*(?:suffers?|fail(?:s|ed)?|errors?|times? out|return\w*|become?s?|breaks?|crash\w*|cannot|can't|(?:is|are) (?:affected|impacted|failing|down|broken|unable))\b",
)
# Clauses that explain a noun, so that what they name is not blamed: `the account that geo uses`.
RELATION = _said(
    r"\b(?:used|needed|required|called|read|mounted|consumed|expected|reached|contacted|queried|wanted|shared|written) (?:by|in|into)\s+(?:the |both |all )?(?:\w+ )?$"
    r"|\b(?:that|which|what|where|how|when|if|whether|whom|whose) (?:the )?$|\b(?:from|to|reach(?:es|ing)?|contact(?:s|ing)?|call(?:s|ing)?|quer(?:y|ies|ying)|connect(?:s|ing|ions?)? to|dial(?:s|ing)?|talk(?:s|ing)? to|and so|for|affects?|affecting|breaks|hits|hurts|serves|serving) (?:the |its |all |both )?$"
    r"|\b(?:between|against|before|after|through|via|behind|in front of|below|above|upstream of|downstream of|dependency of|caller,?|callers?|clients?) (?:the )?$",
)
OWNER = _said(
    r"\b(?:on|in|of|inside|at|within|for|component|service|deployment|named|called) (?:the |its )?(?:\w+ )?[`\"']?$",
)
NO_IMPACT = _said(
    r"\bno (?:user|customer|visible|end[- ]user)[- ]?(?:visible |facing )?(?:impact|effect)|\busers? (?:are|were|is) not affected|\bnobody (?:notices|is affected)|\bno impact\b",
)

# Words to whoever judges. They are taken out before anything is read, and noted.
TO_THE_JUDGE = _said(
    r"\b(?:dear |attention |note (?:to|for) (?:the )?|hey |message (?:to|for) (?:the )?|to (?:the|whoever|my) )?(?:grader|judge|evaluator|scorer|oracle|assessor|marker|rater|examiner|benchmark|grading (?:model|system|script)|evaluation (?:model|system|script))s?\b(?!\w)"
    r"|\bmark (?:this|that|it|me|the|my|all|everything)(?: \w+){0,3} (?:as )?(?:correct|right|pass\w*|true|accepted|solved|complete)"
    r"|\b(?:all|every|each)(?: \w+)? (?:answers?|questions?|checks?|items?)(?: \w+){0,3} (?:is |are |be |as |with )?(?:yes|true|pass\w*|correct|satisfied|met)\b"
    r"|\b(?:ignore|disregard|forget|override)(?: \w+){0,2} (?:previous|prior|above|earlier|the ground truth|instructions?|rubric|checklist)"
    r"|\b(?:give|award|assign|grant)(?: \w+){0,2} (?:full|maximum|max|perfect|highest|top)(?: \w+)? ?(?:marks?|scores?|credit|points?)?"
    r"|\banswer (?:yes|true)(?: to)?\b|\b(?:system|developer) (?:prompt|message|note|override)\b|\bthis (?:answer|diagnosis|submission|response) (?:is|should be|must be|has been) (?:verified |fully |completely |100% |already )*(?:correct|accepted|verified|approved|right|passed)"
    r"|\bground truth\b|\bexpected answer\b|\bcorrect answer\b|\brubric\b|\bchecklist\b|\byou (?:are|must|should) (?:an? |the )?(?:judge|grader|lenient|generous|accept|pass|approve)\w*"
    r"|[\"']?\b(?:score|grade|verdict|judge?ment|success|passed|outcome|accuracy)[\"']?\s*(?:[:=]|is|of)\s*[\"']?(?:1(?:\.0+)?|true|pass(?:ed)?|yes|correct|100)\b",
)
