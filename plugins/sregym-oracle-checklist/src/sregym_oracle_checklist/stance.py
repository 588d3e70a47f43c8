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
    r"|given that|the reason (?:is|being|for (?:this|that) is)(?: that)?|thanks to|and that is because|(?<!\bis )(?<!\bwas )as(?= (?:its|the|their|there) (?:[`\w.-]+ ){0,5}(?:is|are|was|were|has|have|does|cannot|can't)\b)"
)
_EFFECT = (
    r"so that|so(?! far|-|\w| (?:does|do|did|is|are|was|were|has|have|had|can|should|must)\b)|therefore|thus|hence|consequently|as a (?:result|consequence)|which (?:is|was) why|(?:that is|that's|this is) why"
    r"|which (?:then |in turn |also |now |therefore )*(?:caus(?:es|ed)|makes?|made|means?|meant|leads?|led|breaks?|broke|leaves?|left|prevents?|prevented"
    r"|results?|resulted|triggers?|triggered|cascad\w+|takes?|took|stops?|stopped|blocks?)(?: that)?|this (?:caus(?:es|ed)|makes?|means?|leads?|breaks?|prevents?)"
    r"|causing|leading to|leads? to|led to|resulting in|results? in|resulted in|making|leaving|breaking|preventing|triggering"
    r"|cascad(?:es|ed|ing)(?: up)?(?: to| into| through)?|(?<!root )(?<!root-)(?<!real )(?<!likely )(?<!actual )(?<!two )(?<!three )(?<!four )caus(?:es|ed)(?! by)|propagat(?:es|ed|ing)|in turn|=>|⇒|and (?:then|now)|meaning(?: that)?|downstream of (?:this|that)"
)
_CLEARED = (
    r"(?:is|are|was|were)?(?:\bnot|n't|\bnever)\s+(?:actually |really |directly |itself |themselves )*(?:caused by|due to|because of|attributable to|the fault of|a (?:problem|matter|question) (?:of|with|in))"
    r"|(?:problem|issue|cause|fault|defect|bug)s? (?:is|was|lies|are)(?: not|n't) (?:in|with|from)|rather than|(?:neither|none) of (?:them|these|those|which|the two) (?:is|are|was|were|has|have|lies in|being)|\bnot(?= (?:the|an?|by|because|due) )|(?:(?<=, )|(?<=,)|\band |\bbut )not(?= (?:(?:in|with|from) |[`\"]?\w+(?:[- ]\w+)?[`\"]? ?(?:$|[.,;)])))|unrelated to|nothing to do with|has nothing to do with"
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
    r"|\b(?:is|are|was|were) what(?:'s| is| was)? (?:broke\w*|wrong|caus\w+)|\bwhat (?:(?:is|was|went)(?: actually)? (?:wrong|broken)|broke\b)"
    r"|\b(?:cause|source) of (?:the|this|all|these)\b|\bcausing (?:the|this|all)\b|\bthe (?:incident|outage) (?:is|was)\b",
)

# Not to be quite sure denies nothing.
NOT_QUITE = _said(
    r"(?<![\w-])(?:(?:am|is|are|was|'m|'s) )?(?:not|n't) (?:entirely|fully|completely|totally|absolutely|quite|100 ?%|yet|altogether|wholly|a hundred per ?cent) (?:sure|certain|proven|proved|confirmed)"
    r"|\b(?:though |but )?not entirely(?=[,;.])|\bnot fully(?=[,;.])",
)

# Said of a thing that is all right, or that only suffers.
HEALTHY = _said(
    r"\b(?:not|never|n't) (?:been |being |at all |actually |really )?(?:missing|dropped|deleted|removed|revoked|wrong|broken|changed|expired|full|overloaded|corrupt\w*|stuck|slow|blocked|denied|misconfigured|crash\w*|exhausted|lost|the)\b(?! (?:one|only|right|same))|"
    r"\b(?:is|are|was|were|looks?|seems?|appears?|remains?|stays?|being|works?|runs?|checks?|came back|checked out)\s+(?:all |both |perfectly |completely |totally |otherwise |just |still |itself |themselves |also |entirely )*"
    r"(?:fine|ok|okay|healthy|correct(?:ly)?|right|good|normal(?:ly)?|unaffected|intact|in order(?!-)|as expected|as it should|up and running|running|ready|present|complete|consistent|innocent|clean|valid|irrelevant|unchanged|untouched|good order|well)\b"
    r"|\b(?:is|are|was|were)?\s?(?:not|n't|never|neither|nor)\s+(?:\w+ )?(?:the |a |an |at |to |any )?(?:\w+ )?(?:root )?(?:causes?|culprit|problem|issue|fault|blame|broken|affected|involved|defective|misconfigured|responsible|source|origin|defect|misconfiguration|wrong|guilty|reason)\b"
    r"|\brul(?:ed?|ing) out\b|\bruled \w+ out\b|\bexclud(?:ed?|ing)\b|\bexonerat\w+|\bhealthy\b|\bred herring\b|\binnocent\b|\beliminated\b|\bdismiss\w*"
    r"|\bno (?:problem|issue|evidence|sign|signs|indication|trouble|fault|defect|anomal\w+|errors?|misconfiguration|mismatch|change)s?\b|\bnothing (?:is )?(?:wrong|unusual|abnormal|suspicious)\b|\bwithout (?:any )?(?:problem|issue)s?\b"
    r"|\b(?:only|just|merely|simply) (?:a |the )?(?:victims?|symptoms?|casualt\w+|affected|downstream|suffer\w*|collateral|consequences?)\b|\bvictims?\b|\bcollateral\b|\bharmless\b|\bblameless\b|\bunrelated\b|\bnot related\b|\bfollow-?ups?\b|\bby-?standers?\b|\bno fault\b|\bside[- ]effects?\b"
    r"|\b(?<!n't )(?<!not )(?<!never )(?<!longer )match(?:es)? (?:the|its|their|exactly|correctly|perfectly)\b|\bi (?:first |initially )?(?:also )?(?:checked|verified|confirmed|looked at|inspected)\b(?! that)",
)
# Said of an earlier belief; what holds now comes later.
FORMER = _said(
    r"\b(?:initially|at first|first (?:i )?(?:thought|suspected|assumed)|originally|my first (?:guess|suspicion|hypothesis)|one might|you might|it (?:may |might )?(?:looks?|seems?|appears?) (?:at first|(?:like|as if)(?=[^.;]{0,160}\bbut\b))"
    r"|i (?:had )?(?:suspected|assumed|thought)|looked like|seemed|was suspected|tempting|at first (?:glance|sight))\b"
    r"|\bhad\b.{0,80}\b(?:ago|last (?:week|month|year))\b|\b(?:was|were|has been|have been) (?:since |already |meanwhile |long )?(?:repaired|fixed|resolved)\b",
)
HEDGE = _said(
    r"\b(?:might|may(?! not\b)|could|possibl[ey]|perhaps|maybe|either|potential(?:ly)?|conceivably|not sure|unsure|unclear|unknown (?:cause|reason|origin)|(?:cause|reason|origin) (?:\w+ ){0,3}unknown|uncertain|don't know|cannot tell|can't tell|one of(?! (?:the|its|our) \w+s\b)|hypothes[ie]s|candidates?|suspects?|guess(?:es)?|any of)\b",
)
# Asked, supposed or still to be looked at: nothing is claimed.
OPEN_QUESTION = _said(
    r"\?\s*[\"')]*$|^\W*(?:if|suppose|supposing|assuming|imagine|unless)\b|\b(?:check|verify|determine|investigate|examine|see|test|find out|look)(?: into)? (?:whether|if)\b|\bwhether\b",
)
# At the end of a sentence: all of it is over.
PAST = _said(
    r"\b(?:that|this|it|which) (?:was|were|is) (?:\w+ )?(?:last|previous) (?:week|month|quarter|year)'s (?:incident|outage|problem|defect|story)\b|\band (?:is|was|has been) (?:since |already |meanwhile |long )?(?:repaired|fixed|resolved|solved) (?:since|already|meanwhile|by now|long ago)\b"
)
# How a sentence begins all of which is supposed.
OPEN_SENTENCE = _said(r"^\W*(?:if|suppose|supposing|assuming|imagine|unless)\b")
NO_IMPACT = _said(
    r"\bno (?:user|customer|visible|end[- ]user)[- ]?(?:visible |facing )?(?:impact|effect)|\busers? (?:are|were|is) not affected|\bnobody (?:notices|is affected)|\bno impact\b",
)

# Text addressed to the judge. They are taken out before anything is read, and noted.
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
# Addressed to the judge, and not only about one.
# A whole sentence that is denied, or all that was said before, or comes after.
DENIES = _said(
    r"\b(?:it is|it's|this is|that is) (?:not|n't) (?:true|the case|so|correct|right) that\b|\b(?:isn't|ain't) (?:true|the case) that\b|\bi (?:doubt|deny|refuse to believe|do not (?:think|believe)|don't (?:think|believe)|can't believe|would not say|wouldn't say)\b"
    r"|^\W*(?:it|this|that|the cause|the root cause)(?:'s| is| was| has) (?:\w+ )?(?:not|never) (?!able|allowed|authori|reach|ready|running|listen|match|found|there|set\b|enough|valid|work|accept|resolv|exist|been|compat|scheduled|a single|only|just|get|being)"
    r"|^\W*(?:not|neither|nor|no) (?:a |an |the |its |any )?[\w /`.-]{2,60}(?:$|[.,;:](?: (?:not|nor)\b[^:;.]*)?)|\banything but\b|\bfar from (?:it|true|being)\b|\bby no means\b|\bunder no circumstances\b|\bit is (?:false|wrong|untrue|incorrect|a myth|nonsense|a mistake) (?:to|that)\b|\bno (?:way|chance) that\b|\bnobody (?:should|can|could) (?:claim|say|conclude)\b"
    r"|^\W*(?:i|we)(?:'ve| have|'d| had)? (?:ruled out|excluded|dismissed|refuted|disproved|rejected) (?:that|the (?:idea|claim|possibility|theory))\b|^\W*nothing (?:is|was) wrong with\b"
    r"|\bit would be (?:wrong|false|a mistake) to\b|\bcontrary to\b|\b(?:there is|there's|i see|i found|have) no (?:evidence|sign|reason|indication|proof)\b",
)
DENIED_ALL = _said(
    r"\b(?:all|everything|each|every (?:word|sentence)) (?:of )?(?:the |what (?:is |was |i )?(?:said |wrote |written )?)?(?:above|before|preceding|previous|foregoing)?(?: \w+)? ?(?:is|was|are) (?:false|wrong|untrue|not true|nonsense|invented|a lie|incorrect|made up)\b"
    r"|\b(?:none|nothing) (?:of )?(?:the |what (?:is |was |i )?(?:said |wrote |written )?)?(?:above|before|preceding|previous|foregoing)?(?: \w+)? ?(?:is|was|are) (?:true|right|so|correct|the case)\b|\bthe (?:above|foregoing|opposite) (?:is|holds)(?: \w+)? ?(?:false|wrong|untrue|nonsense|true)?\b|\bignore (?:all )?(?:the above|what i said)\b|\b(?:just|only) kidding\b",
)
DENIED_NEXT = _said(
    r"\b(?:none|nothing|not one) of (?:the following|what follows|these)\b|\bthe following (?:is|are|was|were) (?:all )?(?:false|wrong|untrue|not true|nonsense)\b"
)
# What is to be done about it tells what is held responsible.
REPAIR = _said(
    r"^\W*(?:please |then |just |to fix:? |to undo:? |next:? |first,? |fix:? |and |i(?:'d| would) (?:recommend|propose|suggest)? ?(?:to )?|you (?:should|need to) |(?:we|somebody|someone) should )*(?:re-?stor|re-?set|set|patch|re-?grant|grant|delet|remov|re-?start|re-?creat|creat|scale|suspend|roll|revert|correct|chang|undo|increas|rais|bump|extend|reduc|lower|upgrad|downgrad|mov|add|put|replac|renew|fix|edit|give|disabl|enabl|drain|point|go back|relax|deregister|switch|adjust|repair|clear|tune|pin|unset|resiz|re-?appl|cordon|reboot|redeploy|updat|install|open|allow|drop|rebuild|move|free|clean|expand|re-?issue|take|dial|migrat|rename|extend|profil|re-?label|lift|merge|make|let)(?:e|es|ing|s|t)?\b",
)
# Words of an author who is not sure, who has not decided, and who has with a grain of salt.
UNSURE = _said(
    r"\b(?:unclear|cannot (?:decide|determine|tell|say)|can't (?:decide|determine|tell|say)|could be|may be|might be|either|any of|one of(?! (?:the|its|our) \w+s\b)|candidates?|among them|plausible|not sure|unsure|don't know|hypothes|alternatively|possib\w+)\b",
)
UNDECIDED = _said(
    r"\b(?:maybe|perhaps|possibly)\b[^?]{0,400}?[.;]\s+(?:or )?(?:maybe|perhaps|possibly)\b|\bmaybe both\b"
    r"|\b(?:cannot (?:decide|determine|tell)|can't (?:decide|determine|tell)|either\b[^.]{0,200}\bor\b|candidates|any of these|could be\b[^.]{0,200}\b(?:or|could)|both fit|checking them all)\b",
)
LIKELY = _said(
    r"\b(?:likely|fairly sure|suspect|probabl[ye]|i think|seems?|appears?|i'd go with|most plausible)\b",
)
