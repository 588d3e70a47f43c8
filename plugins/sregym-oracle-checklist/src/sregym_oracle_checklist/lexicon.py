"""The vocabulary of defects: what can be defective, how it can be, and what both together mean.

A defect word belongs to the nearest noun. The pair names a family of mechanisms: *missing* beside
*key* is another family than *missing* beside *ConfigMap*. Phrases stand for a family alone.
"""

from __future__ import annotations

import re

# Nouns a defect word may belong to. Those that are in no family still catch defect words that are
# theirs: in `the Service is missing endpoints` it is not the Service that is missing.
NOUNS: dict[str, str] = {
    "placement": r"node[- ]?selectors?|(?:(?:pod|node) )?(?:anti-?)?affinit(?:y|ies)|podantiaffinity|topology ?spread(?: ?constraints?)?|taints?|tolerations?",
    "env": r"env(?:ironment)?[- ]?var(?:iable)?s?|(?:container )?env",
    "selector": r"(?:label[- ])?selectors?|spec\.selector|pod labels?|labels?",
    "port": r"target[- _]?ports?|port mapping|(?<!local )(?<!ephemeral )(?<!source )ports?(?! range)",
    "key": r"(?:config(?:uration)? )?(?:keys?|entry|entries|fields?|settings?|propert(?:y|ies)|addresses|address"
    r"|connection strings?|hostnames?|url|dsn|endpoint setting|parameters?|value)",
    "configmap": r"config[- ]?maps?|cm|init(?:iali[sz]ation)? scripts?",
    "config": r"config(?:uration)?s?(?:[ -]files?)?|config\.(?:json|ya?ml)",
    "image": r"(?:container )?images?(?: tags?| references?| versions?)?|tags?",
    "memory": r"(?:memory|mem|ram|resources?|oom)(?:[ -](?:limits?|requests?|allocation|quota|cap|ceiling|budget|constraints?))?"
    r"|limits\.memory|limits?",
    "cpu": r"cpu(?: (?:limits?|requests?|quota|share))?",
    "replicas": r"replicas?(?: count)?|desired (?:count|state)|replica[- ]?count|replicaset size|scale",
    "role": r"roles?|privileges?|permissions?|grants?|authori[sz]ations?|access rights?|rights|read-?write(?: access)?"
    r"|(?:write|read) access|access",
    "account": r"(?:(?:mongo(?:db)?|database|db|auth(?:entication)?|app(?:lication)?|admin|login|the) )users?(?: accounts?)?"
    r"|accounts?|(?<!service )(?<!deployment )(?<!component )users?|principals?",
    "password": r"passwords?|credentials?|secrets?|passphrase",
    "service": r"services?(?: objects?| resources?)?|svc|services? entr(?:y|ies)",
    "policy": r"network[- ]?polic(?:y|ies)|firewall rules?",
    "probe": r"(?:(?:readiness|liveness|startup|health) )?(?:probes?|health ?checks?)",
    "volume": r"pvcs?|persistent ?volumes?(?: ?claims?)?|(?:volume )?claim ?names?|claimname|volumes?|disks?|storage",
    "dns": r"coredns|dns(?: (?:server|config\w*|records?))?",
    "node": r"nodes?|kubelets?",
    "certificate": r"certificates?|tls|certs?",
    "workload": r"deployments?|pods?|containers?|statefulsets?|workloads?",
    "endpoints": r"endpoints?(?:slices?)?|backends?|ready addresses",
    "binary": r"binar(?:y|ies)|entry ?points?|commands?|executables?",
    "data": r"data|collections?|documents?|index(?:es)?|tables?",
    "code": r"code|bug|race condition|deadlock|memory leak",
}

DEFECTS: dict[str, str] = {
    "wrong": r"wrong(?:ly)?|incomplete|incorrect(?:ly)?|mis-?match(?:e[sd]|ing)?|mis-?configur\w+|mis-?set|invalid|bad|bogus|broken|corrupt\w*"
    r"|(?:does|do|did|is|are|was|were)(?: not|n't) (?:actually )?(?:match(?:ing)?|select(?:ing)?|correspond(?:ing)?|agree|line up|align(?:ed)?|carry|have)"
    r"|(?:no longer|never|not|cannot|can't) match(?:es|ing)?|no longer selects?|match(?:es|ing)? (?:no|none|nothing|zero|0)"
    r"|select(?:s|ing)? (?:no|none|nothing|zero|0)|typos?|mistyped|misspel\w+|erroneous|faulty|drift(?:ed|s|ing)?"
    r"|(?:was |were |been |got |is |has )*(?:changed|modified|altered|edited|mutated|tampered\w*|switched|swapped|overwritten|repointed|patched)"
    r"|points? (?:to|at)|pointing (?:to|at)|pointed (?:to|at)|set to|(?:un|in)expected|extra|differ(?:s|ent|ing)?|stale|nobody listens|nothing listens|not listening"
    r"|not the (?:right|correct)|(?:does|do) not listen|renamed|pinned to|bumped to|instead of|rather than|but should be|should be",
    "missing": r"absence|deletion|removal|loss|(?:is |was )?not set|no(?= (?:mongodb |database |db )?(?:account|role|privilege|permission|config ?map)s?\b)|missing|deleted|removed|gone|absent|vanished|disappeared|dropped|lost|lacks?|lacking|unregistered"
    r"|(?:does|do|did)(?: not|n't) (?:even )?exist(?: any ?more)?|not exist\w*|non-?existent|nonexistent|inexistent|not found|not (?:be )?found|not present|not registered|not defined|undefined"
    r"|(?:isn't|is not|aren't|wasn't) (?:there|in|defined|present|registered)|no longer (?:exists?|has|contains?|have|there|present|defined|in)"
    r"|without|wiped|stripped|omitted|empty|unset|blank|does(?: not|n't) (?:have|contain|include)|has no|have no|had no|with no|there is no|there's no|there are no|no such(?! host)|cannot be found|can't be found|took away|never created|erased",
    "small": r"too (?:small|low|tight|little|strict|restrictive|stingy)|insufficient|in-?adequate|under-?(?:sized|provisioned)|not enough|far below|below what"
    r"|exceed\w*|lowered|reduced|cut|shrunk|decreased|tiny|low|only|just|starv\w+|not sufficient|way less|capped|clamped|less than (?:what )?(?:it|the|mongo\w*) (?:needs?|requires?)|out of",
    "large": r"too (?:large|big|high|much|greedy)|exceed\w* (?:the )?(?:capacity|allocatable|largest|what (?:any|a|every|the largest) node|(?:that of )?(?:any|every|all|each) nodes?|nodes?)|more than (?:any|a|every|the largest) nodes?|larger than any|unsatisfiable|cannot be satisfied|no node (?:can|has enough)",
    "zero": r"(?:down )?to (?:zero|0|none)|zero|0|none",
    "revoked": r"revok\w*|withdrawn|taken away|downgraded|denied|rescinded|not authori[sz]ed|unauthori[sz]ed|insufficient",
    "unpullable": r"(?:cannot|can't|could not|couldn't|can not|fails? to|failed to|failing to|unable to|never|not) (?:be )?(?:pull(?:ed)?|download(?:ed)?|fetch(?:ed)?|resolved?)|unpullable|not available|unavailable|doesn't resolve",
}

# (noun, defect) -> family
FAMILY_OF: dict[tuple[str, str], str] = {
    ("placement", "wrong"): "placement",
    ("placement", "missing"): "placement",
    ("placement", "large"): "placement",
    ("memory", "large"): "request-too-large",
    ("cpu", "large"): "request-too-large",
    ("selector", "wrong"): "service-selector",
    ("selector", "missing"): "service-selector",
    ("port", "wrong"): "service-target-port",
    ("service", "missing"): "service-missing",
    ("configmap", "missing"): "configmap-missing",
    ("configmap", "wrong"): "configmap-drift",
    ("key", "missing"): "configmap-drift",
    ("key", "wrong"): "configmap-drift",
    ("config", "wrong"): "configmap-drift",
    ("config", "missing"): "configmap-drift",
    ("image", "wrong"): "image-wrong",
    ("image", "missing"): "image-wrong",
    ("image", "unpullable"): "image-wrong",
    ("memory", "small"): "resource-limit",
    ("memory", "wrong"): "resource-limit",
    ("replicas", "zero"): "replicas-zero",
    ("workload", "zero"): "replicas-zero",
    ("role", "revoked"): "role-revoked",
    ("role", "missing"): "role-revoked",
    ("role", "wrong"): "role-revoked",
    ("role", "small"): "role-revoked",
    ("account", "missing"): "account-dropped",
    ("password", "wrong"): "credentials-wrong",
    ("policy", "wrong"): "network-policy",
    ("probe", "wrong"): "probe-wrong",
    ("probe", "small"): "probe-wrong",
    ("env", "wrong"): "env-wrong",
    ("env", "missing"): "env-missing",
    ("volume", "missing"): "storage",
    ("volume", "wrong"): "storage",
    ("dns", "wrong"): "dns",
    ("cpu", "small"): "cpu-limit",
    ("certificate", "wrong"): "certificate",
    ("workload", "missing"): "workload-missing",
    ("binary", "wrong"): "command-wrong",
    ("data", "missing"): "data-lost",
    ("code", "wrong"): "code",
}

PHRASES: dict[str, str] = {
    "placement": r"match\w* no (?:existing )?nodes?|no (?:existing )?nodes? (?:match\w*|carr\w+|satisf\w+|has (?:the|that|this|such a) label|with (?:the|that|this) label)|(?:untolerated|not tolerated) taint"
    r"|(?:affinity|spread|selector)[^.;]{0,40}(?:unmet|unsatisfiable|cannot be (?:met|satisfied)|deadlock)|(?:assigned|pinned|bound) to (?:a )?(?:non-?existent|missing) node",
    "request-too-large": r"(?:memory|cpu|resource) request (?:is )?(?:far )?(?:too (?:large|big|high)|beyond|larger than|above what)|insufficient (?:memory|cpu) on (?:all|every|any) nodes?",
    "init-container": r"init[- ]?containers?[^.;]{0,60}(?:wait|hang|hung|stuck|never|block|loop|sleep)\w*|(?:wait|hang|hung|stuck|block|loop)\w*[^.;]{0,40}init[- ]?containers?|stuck in init|wait\w* for a retired",
    "local-ports": r"(?:local|ephemeral|source) ports?\b(?:[- ]range|[- ]exhaust\w*)?|ip_local_port_range|cannot assign requested address",
    "port-conflict": r"ports?[- ](?:conflict|clash|collision)s?|address (?:is )?already in use|conflict\w* (?:over|on|for) (?:the )?(?:same )?port"
    r"|ports?(?: \d+)? (?:is |are |was )?(?:already )?(?:in use|taken|occupied|bound|stolen|grabbed)(?: by)?|(?:same|own) port|(?:takes|took|taking|occupies|occupying|steals|grabs|hijacks) (?:\w+ ){0,3}port"
    r"|sidecar[^.;]{0,60}(?:listen|bind|occup|tak)\w*[^.;]{0,30}port",
    "preemption": r"preempt\w*|priority ?class\w*|global ?default|(?:higher|default) priorit\w+",
    "autoscaler": r"(?:hpa|autoscal\w+)[^.;]{0,60}(?:cannot|can't|unable|does not|doesn't|without|unknown|no (?:cpu )?requests?)|missing (?:cpu )?request for cpu|(?:no|missing|without) (?:effective )?cpu requests?",
    "job-backlog": r"(?:cron ?)?jobs?[^.;]{0,50}(?:never|not|cannot|can't|blocked)[^.;]{0,20}(?:complet\w*|finish\w*|end\w*)|job backlog|concurrency ?policy|blocks? (?:the )?(?:job )?completion|(?:sidecar|side container)[^.;]{0,40}(?:never (?:exits?|ends?|terminates?)|completing)",
    "shared-memory": r"/dev/shm|shared memory|dev shm",  # noqa: S108 - words, no path of ours
    "webhook": r"webhooks?[^.;]{0,60}(?:\bdown\b|unreachable|no (?:backend|endpoint|server|service)|not exist|fail\w*|refus\w+|block\w*|unavailable|outage|reject\w*|den(?:y|ies|ied))"
    r"|(?:failed calling|unreachable|dead|orphaned|fail-closed|broken) (?:admission |validating |mutating )*webhooks?",
    "rollout-strategy": r"(?:rolling[- ]?update|rollout|update|deployment)[- ]?(?:strateg(?:y|ies))?[^.;]{0,40}(?:misconfigur\w+|wrong|takes all|all at once|allows all)|max ?unavailable[^.;]{0,20}100|max ?surge[^.;]{0,8}\b0\b|(?:wrong|bad|misconfigured|unsafe) (?:rollout|update|rolling update|deployment) strategy",
    "env-wrong": r"(?:duplicate[ds]?|shadow(?:ed|s|ing)|overrid(?:e|es|den|ing)|second|repeated|conflicting)(?: \w+){0,3} env(?:ironment)?(?:[- ]?var(?:iable)?s?)?\b"
    r"|env(?:ironment)?[- ]?var(?:iable)?s?[^.;]{0,60}(?:shadow\w*|overrid\w+|overwr\w+|twice|duplicat\w+|typo\w*)|later env entry",
    "security-context": r"run-?as-?non-?root|security ?context(?!\.sysctls)|run\w* as root",
    "service-selector": r"(?:wrong|mismatched|extra|bogus|bad|incorrect|broken|stray|spurious|additional|unmatched) (?:\w+ ){0,2}(?:selector|label)s?"
    r"|selector (?:asks for|requires|demands|wants|looks for|contains|includes|has|carries|got|now) .{0,40}(?:no pod|none of|pods? (?:carr|have|has|don't|do not)|extra|additional|which|that (?:no|none))"
    r"|select(?:s|ing|ed)? (?:no|none|nothing|zero)(?: of (?:the|its))?(?: pods?)?|no (?:running )?pods? (?:carries|carry|carrying|has|have|with|bears?|match\w*)(?: \w+){0,3} (?:label|selector)"
    r"|(?:no|none of the|none of its) pods? (?:match(?:es)?|satisf(?:y|ies)) .{0,30}selector|label (?:that|which) no(?:ne| pod)",
    "service-target-port": r"(?:wrong|incorrect|closed|unused|mismatched|bad|non-?listening|dead|different) (?:target ?|container |backend |service )?port"
    r"|port (?:on|at|to) which (?:nothing|nobody|no process|no one) (?:is )?listen\w*|(?:nothing|nobody|no process|no one) (?:is )?listen(?:s|ing) (?:on|at|there)"
    r"|target ?port\W{0,3}(?:is |was |of |=|:)?\W{0,3}\d+ (?:instead of|rather than|but|while|not)"
    r"|forward(?:s|ing|ed)?(?: \w+){0,3} to (?:the )?(?:port )?\d{4,5}\b.{0,60}listen",
    "service-missing": r"(?:missing|deleted|absent|nonexistent|removed) (?:kubernetes |k8s |clusterip )?service\b(?! (?:endpoint|account|selector|label|port))"
    r"|(?:there (?:is|was) )?\bno (?:kubernetes |k8s |such )?service (?:named|called|object|for|in front|exists|any)|service not found\b|services? \S+ not found",
    "configmap-missing": r"(?:missing|deleted|absent|nonexistent|removed) config[- ]?map\b(?! (?:key|entry|field|data))|config[- ]?maps? \S+ not found",
    "configmap-drift": r"config(?:uration|map)?[- ]drift|config[- ]?map (?:\S+ )?(?:lacks|lost|no longer (?:has|contains)|has lost|is missing (?:the|its|a|key))"
    r"|(?:missing|removed|deleted|lost|absent) (?:\w+ ){0,3}(?:config(?:uration)? )?(?:key|entry|field|setting)\b",
    "image-wrong": r"image ?pull ?back-?off|image pull (?:failure|error)s?|err ?image ?pull|errimageneverpull|(?:wrong|bad|invalid|nonexistent|non-existent|incorrect|mistyped|misspelled|unknown|bogus|broken) (?:\w+ )?(?:image|tag)"
    r"|manifest (?:for \S+ )?(?:unknown|not found)|(?:image|tag) typo|typo in (?:the |its )?(?:\w+ )?(?:image|tag)|no such (?:image|tag)",
    "resource-limit": r"oom[- ]?kill\w*|out[- ]of[- ]memory|memory[- ]starv\w+|\boom\b|exit(?: code|s with|ed with)? 137|(?:exceeds?|exceeding|hits?|hitting|over) (?:its |the )?(?:memory )?limit"
    r"|(?:tiny|small|low|insufficient|inadequate) (?:\w+ )?(?:memory|mem|resource)s? ?(?:limit|request|allocation)?",
    "replicas-zero": r"scal(?:ed|ing|e)(?: \S+){0,4}? (?:down )?to (?:zero|0\b|none|nothing)|(?:zero|0|no) (?:\w+ )?replicas\b|replicas?(?: count)?\W{0,4}(?:is |are |was |were |set |at |of |= ?|: ?|has been |been |changed |from 1 |down )*(?:to )?(?:zero|0\b)"
    r"|0/0|scaled[- ]to[- ]zero|replicas zero|\b0 desired|desired replicas(?: is| are|:|=)? ?0|scaled down (?:completely|entirely|fully)",
    "role-revoked": r"(?:revok\w+|remov\w+|lost|lacks?|lacking|missing|stripped of) (?:\S+ ){0,5}(?:read-?write|role|privileges?|permissions?|grants?|authori[sz]ation)|role[- ]revoked|roles?\W{1,3}\[\s*\]"
    r"|read-?write(?: \S+){0,6} (?:was |were |is |been |has been )?(?:revoked|removed|gone|missing|lost|stripped|taken)|not authori[sz]ed (?:on|to|for)"
    r"|(?:no longer|not|isn't) (?:being )?(?:authori[sz]ed|allowed|permitted)",
    "account-dropped": r"(?:deleted|dropped|missing|removed|nonexistent|unregistered) (?:the )?(?:\w+ ){0,3}(?:user|account)\b|user[- ]dropped|account (?:was |is |has been )?(?:deleted|dropped|gone|removed)"
    r"|(?:user|account)(?: \S+){0,3} (?:was |is |has been |had been )?(?:dropped|deleted|removed|gone|missing|unregistered)|could not find user|no such user|usernotfound|does(?: not|n't) know (?:the |any )?(?:user|account)",
    "network-policy": r"network[- ]?polic(?:y|ies)[^.;]{0,60}?\b(?:block|den(?:y|ie)|drop|stop|isolat|reject|restrict|forbid|forget|prevent|(?:not|only) (?:allow|permit|let))\w*"
    r"|network[- ]?polic(?:y|ies)[^.;]{0,60}?wrong|(?:blocked|denied|stopped|dropped|isolated|cut off) by (?:a |an |the )?[^.;]{0,30}?network[- ]?polic(?:y|ies)"
    r"|(?:deny-all|default[- ]deny|restrictive) (?:network)?[- ]?polic(?:y|ies)|(?:egress|ingress) (?:network )?(?:polic(?:y|ies)|rule)[^.;]{0,40}?(?:not allow|match\w* no|block|den(?:y|ie))\w*"
    r"|egress to (?:port 53|(?:core|kube-)dns)[^.;]{0,20}?(?:not allowed|blocked|denied)",
    "traffic-policy": r"internal[- ]?traffic[- ]?policy|(?:service )?traffic policy|(?:no|only) (?:node-)?local endpoints?|endpoints on the same node",
    "selector-wide": r"(?:too|overly|over-?) ?(?:broad|wide|loose|generic|permissive)(?: a| an)? (?:label |service )*selectors?|selectors?[^.;]{0,40}?(?:too|overly) (?:broad|wide|loose|generic|permissive)"
    r"|(?:also|additionally) (?:selects?|selecting|match(?:es|ing)?|picks? up|include[sd]?)|selects? the wrong pods|wrong endpoints behind"
    r"|(?:selects?|selecting|match(?:es|ing)?|rout\w+ to|balanc\w+ (?:to|over)|includes?|sends? (?:traffic|requests) to) (?:the )?(?:foreign|unrelated|pods? of (?:another|other|a different|the wrong))",
    "service-protocol": r"protocol mismatch|(?:wrong|incorrect) (?:\w+ ){0,3}protocol|(?:udp|sctp) (?:instead of|rather than|not|and not) tcp|protocol(?: of)?[^.;]{0,40}?(?:changed|switched|set to|udp)|ports\[\d+\]\.protocol"
    r"|(?:carries|forwards?|uses?|speaks?|exposes?|offers?)(?: \w+){0,2} udp(?: only)?",
    "external-name": r"external[- ]?names?|alias of (?:an? )?(?:\w+ )?host|wrong service type|cname to",
    "endpoints-stale": r"(?:stale|dead|orphan(?:ed)?|manual(?:ly created)?|hand-?(?:written|made)|static|bogus|outdated|leftover) endpoints?(?:[- ]?slices?)?"
    r"|endpoints?(?:[- ]?slices?)?[^.;]{0,60}?(?:(?:that|which) no pod has|pods? that does not exist|no (?:longer|such) (?:pod|exist)|dead (?:pod|address))",
    "dns-down": r"(?:core|kube-)?dns (?:is |was )?down|(?:core|kube-|cluster )dns[^.;]{0,40}?\b(?:scaled|(?:no|zero|0) (?:replicas|endpoints|pods)|(?:not|n't) run\w*|0 pods)\b|replicas of (?:core|kube-)dns|(?:no|0|zero) (?:core|kube-)dns (?:pods?|replicas?)"
    r"|scaled (?:core|kube-)dns",
    "dns-policy": r"dns-?policy|dns policy|dns-?config(?![- ]?map)\w*|(?:bypass\w*|(?:does not|doesn't|do not|not) (?:use|ask|query)\w*) (?:the )?(?:core|kube-|cluster(?:'s)? )(?:dns|name server)"
    r"|(?:external|public|foreign|wrong) (?:name ?server|dns (?:server|resolver))|pod dns config\w*|resolv\.conf",
    "host-alias": r"host-?alias\w*|host alias(?:es)?|/etc/hosts|hosts file",
    "disk-full": r"disk (?:is )?full|no space left|disk pressure",
    "node-failure": r"node (?:is )?(?:not ?ready|down|failed|failure|unreachable)|node failure",
    "dns": r"corefile|(?:core|kube-)dns[^.;]{0,50}?\b(?:nxdomain|servfail|template|misconfig\w*|overrid\w*|poison\w*|(?:not|cannot|does not) (?:resolve|serve)|configuration)\b"
    r"|cluster dns (?:is|was) broken|(?:dns|wrong) (?:name |answers? )?poison\w*|(?:dns )?zone (?:is )?broken|wrong dns answers?|dns (?:resolution|zone)[^.;]{0,30}(?:is|was) broken|(?:core)?dns (?:outage|failure|misconfigur\w+|is down|is broken)|coredns (?:is|was) (?:down|broken|crash\w*|misconfigur\w+)",
    "overload": r"traffic spike|overload(?:ed)?|too many requests|load spike|thundering herd|connection pool exhaust\w*|exhausted (?:the )?connection",
    "cpu-limit": r"cpu throttl\w+|throttled cpu",
    "memory-leak": r"memory leak",
    "credentials-wrong": r"(?:wrong|incorrect|rotated|expired|changed|invalid|bad) (?:\w+ )?(?:password|credentials?)|password (?:was |has been )?(?:changed|rotated|wrong)",
    "tls-required": r"require(?:tls|ssl)|(?:tls|ssl)(?: \w+){0,2} (?:is |was |became |made )?(?:required|mandatory|enforced|demanded|compulsory)|(?:requires?|demands?|enforces?|(?:only|exclusively) (?:accepts?|allows?)|only allow|insists? on) (?:\w+ )?(?:tls|ssl)|net\.tls\.mode|tls ?mode"
    r"|(?:plain ?text|unencrypted|non-?tls) (?:clients?|connections?)[^.;]{0,20}(?:rejected|refused|turned away)|(?:without|not use|no) (?:tls|ssl)",
    "certificate": r"(?:expired|invalid) (?:tls )?certificate|tls (?:handshake|failure|error)",
    "code": r"(?:code|software|application) bug|bug in (?:the )?(?:code|application|service)|deadlock|race condition|nil pointer",
    "cache": r"cache (?:stampede|corruption|eviction|poisoning)",
    "probe-wrong": r"(?:wrong|misconfigured|failing|incorrect|broken) (?:readiness|liveness|startup) probe"
    r"|probe[^.;]{0,40}(?:too (?:aggressive|strict|impatient|tight|early|short|fast|soon|eager)|aggressive|impatient)|(?:aggressive|impatient|overeager) (?:\w+ )?probe"
    r"|probe[^.;]{0,30}(?:without|no) (?:an? )?(?:initial delay|grace)|(?:killed|restarted) by (?:the |its |a )?liveness probe|liveness probe kills",
}


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w])", re.IGNORECASE)


NOUN_PATTERNS = tuple((name, _words(pattern)) for name, pattern in NOUNS.items())
DEFECT_PATTERNS = tuple((name, _words(pattern)) for name, pattern in DEFECTS.items())
PHRASE_PATTERNS = tuple((name, _words(pattern)) for name, pattern in PHRASES.items())

# Which words of a slug, a kind or a phrase of a ground truth tell its family; the first that fits.
TRUTH_FAMILIES: tuple[tuple[str, str], ...] = (
    ("tls-required", r"tls-required"),
    ("network-policy", r"network-policy"),
    ("traffic-policy", r"traffic-policy"),
    ("dns-policy", r"dns-policy"),
    ("host-alias", r"host-alias"),
    ("selector-wide", r"selector-too-wide"),
    ("service-protocol", r"service-protocol"),
    ("external-name", r"external-name"),
    ("endpoints-stale", r"stale-endpoints"),
    ("dns-down", r"dns-down"),
    ("dns", r"dns"),
    ("placement", r"affinity|spread|taint"),
    ("probe-wrong", r"probe"),
    ("local-ports", r"(?:local|ephemeral)-port"),
    ("port-conflict", r"port-conflict"),
    ("webhook", r"webhook"),
    ("preemption", r"preempts"),
    ("autoscaler", r"autoscaler"),
    ("job-backlog", r"job"),
    ("shared-memory", r"shared-memory"),
    ("rollout-strategy", r"rolling-update|rollout-strategy"),
    ("env-missing", r"environment-variable-missing"),
    ("env-wrong", r"environment-variable"),
    ("command-wrong", r"command"),
    ("init-container", r"init"),
    ("security-context", r"security"),
    ("request-too-large", r"request-too-large"),
    ("cpu-limit", r"cpu"),
    ("storage", r"claim"),
    ("service-selector", r"selector"),
    ("service-target-port", r"target-?port|port-mismatch|port"),
    ("service-missing", r"(?:missing|deleted)-service|service-(?:missing|deleted|removed)"),
    (
        "configmap-missing",
        r"(?:missing|deleted)-config-?map|config-?map-(?:missing|deleted|removed)",
    ),
    (
        "configmap-drift",
        r"config\w*-(?:drift|changed|key\S*|entry\S*|value\S*)|config\w*|key-(?:missing|removed)",
    ),
    ("image-wrong", r"image|tag"),
    ("resource-limit", r"memory|resource|limit|oom\w*"),
    ("replicas-zero", r"replica\w*|scale\w*|zero"),
    (
        "account-dropped",
        r"(?:user|account)\S*-(?:drop\w*|missing|delet\w+|unregist\w+|remov\w+)|dropped-\S*user|unregistered",
    ),
    ("role-revoked", r"roles?|revok\w*|privilege\w*|permission\w*"),
)
