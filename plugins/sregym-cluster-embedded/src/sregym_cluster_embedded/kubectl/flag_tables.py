"""Which flags each command of kubectl 1.37 takes: what a typing error is compared with.

Only consulted when a command line is wrong, to tell a flag that the binary honours from one that it
refuses, and to say what kind of value it wanted. Deprecated flags are listed as well.
"""

from __future__ import annotations

# A command, words joined by dots, with its flags: `shorthand/name` and a mark for the kind of value,
# `!` a switch, `#` a whole number, `~` a duration, `*` a list, none for text.
COMMANDS = """
create: allow-missing-template-keys! dry-run edit! field-manager f/filename* k/kustomize o/output
  raw R/recursive! save-config! l/selector show-managed-fields! template validate
  windows-line-endings! record!
create.clusterrole: aggregation-rule allow-missing-template-keys! dry-run field-manager
  non-resource-url* o/output resource* resource-name* save-config! show-managed-fields! template
  validate verb*
create.clusterrolebinding: allow-missing-template-keys! clusterrole dry-run field-manager group*
  o/output save-config! serviceaccount* show-managed-fields! template user* validate
create.configmap: allow-missing-template-keys! append-hash! dry-run field-manager from-env-file*
  from-file* from-literal* o/output save-config! show-managed-fields! template validate
create.cronjob: allow-missing-template-keys! dry-run field-manager image o/output restart
  save-config! schedule show-managed-fields! template validate
create.deployment: allow-missing-template-keys! dry-run field-manager image* o/output port#
  r/replicas# save-config! show-managed-fields! template validate
create.ingress: allow-missing-template-keys! annotation* class default-backend dry-run
  field-manager o/output rule* save-config! show-managed-fields! template validate
create.job: allow-missing-template-keys! dry-run field-manager from image o/output save-config!
  show-managed-fields! template validate
create.namespace: allow-missing-template-keys! dry-run field-manager o/output save-config!
  show-managed-fields! template validate
create.poddisruptionbudget: allow-missing-template-keys! dry-run field-manager max-unavailable
  min-available o/output save-config! selector show-managed-fields! template validate
create.priorityclass: allow-missing-template-keys! description dry-run field-manager
  global-default! o/output preemption-policy save-config! show-managed-fields! template validate
  value#
create.quota: allow-missing-template-keys! dry-run field-manager hard o/output save-config! scopes
  show-managed-fields! template validate
create.role: allow-missing-template-keys! dry-run field-manager o/output resource* resource-name*
  save-config! show-managed-fields! template validate verb*
create.rolebinding: allow-missing-template-keys! clusterrole dry-run field-manager group* o/output
  role save-config! serviceaccount* show-managed-fields! template user* validate
create.secret:
create.secret.docker-registry: allow-missing-template-keys! append-hash! docker-email
  docker-password docker-server docker-username dry-run field-manager from-file* o/output
  save-config! show-managed-fields! template validate
create.secret.generic: allow-missing-template-keys! append-hash! dry-run field-manager
  from-env-file* from-file* from-literal* o/output save-config! show-managed-fields! template type
  validate
create.secret.tls: allow-missing-template-keys! append-hash! cert dry-run field-manager key
  o/output save-config! show-managed-fields! template validate
create.service:
create.service.clusterip: allow-missing-template-keys! clusterip dry-run field-manager o/output
  save-config! show-managed-fields! tcp* template validate
create.service.externalname: allow-missing-template-keys! dry-run external-name field-manager
  o/output save-config! show-managed-fields! tcp* template validate
create.service.loadbalancer: allow-missing-template-keys! dry-run field-manager o/output
  save-config! show-managed-fields! tcp* template validate
create.service.nodeport: allow-missing-template-keys! dry-run field-manager node-port# o/output
  save-config! show-managed-fields! tcp* template validate
create.serviceaccount: allow-missing-template-keys! dry-run field-manager o/output save-config!
  show-managed-fields! template validate
create.token: allow-missing-template-keys! audience* bound-object-kind bound-object-name
  bound-object-uid duration~ o/output show-managed-fields! template
expose: allow-missing-template-keys! cluster-ip dry-run external-ip field-manager f/filename*
  k/kustomize l/labels load-balancer-ip name o/output override-type overrides port protocol
  R/recursive! save-config! selector session-affinity show-managed-fields! target-port template
  type record!
run: allow-missing-template-keys! annotations* attach! cascade command! detach-keys dry-run env*
  expose! field-manager force! grace-period# image image-pull-policy k/kustomize l/labels
  leave-stdin-open! o/output override-type overrides pod-running-timeout~ port privileged!
  q/quiet! R/recursive! restart rm! save-config! show-managed-fields! i/stdin! template timeout~
  t/tty! wait! record!
set:
set.env: all! allow-missing-template-keys! c/containers dry-run e/env* field-manager f/filename*
  from keys* k/kustomize list! local! o/output overwrite! prefix R/recursive! resolve! l/selector
  show-managed-fields! template
set.image: all! allow-missing-template-keys! dry-run field-manager f/filename* k/kustomize local!
  o/output R/recursive! l/selector show-managed-fields! template record!
set.resources: all! allow-missing-template-keys! c/containers dry-run field-manager f/filename*
  k/kustomize limits local! o/output R/recursive! requests l/selector show-managed-fields!
  template record!
set.selector: all! allow-missing-template-keys! dry-run field-manager f/filename* local! o/output
  R/recursive! resource-version show-managed-fields! template record!
set.serviceaccount: all! allow-missing-template-keys! dry-run field-manager f/filename*
  k/kustomize local! o/output R/recursive! show-managed-fields! template record!
set.subject: all! allow-missing-template-keys! dry-run field-manager f/filename* group*
  k/kustomize local! o/output R/recursive! l/selector serviceaccount* show-managed-fields!
  template user*
explain: api-version max-depth# o/output R/recursive!
get: A/all-namespaces! allow-missing-template-keys! chunk-size# field-selector f/filename*
  ignore-not-found! k/kustomize L/label-columns* no-headers! o/output output-watch-events! raw
  R/recursive! l/selector server-print! show-kind! show-labels! show-managed-fields! sort-by
  subresource template w/watch! watch-only!
edit: allow-missing-template-keys! field-manager f/filename* k/kustomize o/output output-patch!
  R/recursive! save-config! show-managed-fields! subresource template validate
  windows-line-endings! record!
delete: all! A/all-namespaces! cascade dry-run field-selector f/filename* force! grace-period#
  ignore-not-found! i/interactive! k/kustomize now! o/output raw R/recursive! l/selector timeout~
  wait!
rollout:
rollout.history: allow-missing-template-keys! f/filename* k/kustomize o/output R/recursive!
  revision# l/selector show-managed-fields! template
rollout.pause: allow-missing-template-keys! field-manager f/filename* k/kustomize o/output
  R/recursive! l/selector show-managed-fields! template
rollout.restart: allow-missing-template-keys! field-manager f/filename* k/kustomize o/output
  R/recursive! l/selector show-managed-fields! template
rollout.resume: allow-missing-template-keys! field-manager f/filename* k/kustomize o/output
  R/recursive! l/selector show-managed-fields! template
rollout.status: f/filename* k/kustomize R/recursive! revision# l/selector timeout~ w/watch!
rollout.undo: allow-missing-template-keys! dry-run f/filename* k/kustomize o/output R/recursive!
  l/selector show-managed-fields! template to-revision#
scale: all! allow-missing-template-keys! current-replicas# dry-run f/filename* k/kustomize
  o/output R/recursive! replicas# resource-version l/selector show-managed-fields! template
  timeout~ record!
autoscale: allow-missing-template-keys! cpu dry-run field-manager f/filename* k/kustomize max#
  memory min# name o/output R/recursive! save-config! show-managed-fields! template record!
  cpu-percent#
certificate:
certificate.approve: allow-missing-template-keys! f/filename* force! k/kustomize o/output
  R/recursive! show-managed-fields! template
certificate.deny: allow-missing-template-keys! f/filename* force! k/kustomize o/output
  R/recursive! show-managed-fields! template
cluster-info:
cluster-info.dump: A/all-namespaces! allow-missing-template-keys! namespaces* o/output
  output-directory pod-running-timeout~ show-managed-fields! template
top:
top.node: no-headers! l/selector show-capacity! show-swap! sort-by use-protocol-buffers!
top.pod: A/all-namespaces! containers! field-selector no-headers! l/selector show-swap! sort-by
  sum! use-protocol-buffers!
cordon: dry-run l/selector
uncordon: dry-run l/selector
drain: chunk-size# delete-emptydir-data! disable-eviction! dry-run force! grace-period#
  ignore-daemonsets! pod-selector l/selector skip-wait-for-delete-timeout# timeout~
taint: all! allow-missing-template-keys! dry-run field-manager o/output overwrite! l/selector
  show-managed-fields! template validate
describe: A/all-namespaces! chunk-size# f/filename* k/kustomize R/recursive! l/selector
  show-events!
logs: all-containers! all-pods! c/container f/follow! ignore-errors!
  insecure-skip-tls-verify-backend! limit-bytes# max-log-requests# pod-running-timeout~ prefix!
  p/previous! l/selector since~ since-time tail# timestamps!
attach: c/container detach-keys pod-running-timeout~ q/quiet! i/stdin! t/tty!
exec: c/container f/filename* pod-running-timeout~ q/quiet! i/stdin! t/tty!
port-forward: address* pod-running-timeout~
proxy: accept-hosts accept-paths address api-prefix append-server-path! disable-filter! keepalive~
  p/port# reject-methods reject-paths u/unix-socket w/www P/www-prefix
cp: c/container no-preserve! retries#
auth:
auth.can-i: A/all-namespaces! list! no-headers! q/quiet! subresource
auth.reconcile: allow-missing-template-keys! dry-run f/filename* k/kustomize o/output R/recursive!
  remove-extra-permissions! remove-extra-subjects! show-managed-fields! template
auth.whoami: allow-missing-template-keys! o/output show-managed-fields! template
debug: arguments-only! attach! c/container copy-to custom env* f/filename* image image-pull-policy
  keep-annotations! keep-init-containers! keep-labels! keep-liveness! keep-readiness!
  keep-startup! profile q/quiet! replace! same-node! set-image* share-processes! i/stdin! target
  t/tty!
events: A/all-namespaces! allow-missing-template-keys! chunk-size# for no-headers! o/output
  show-managed-fields! template types* w/watch!
diff: concurrency# field-manager f/filename* force-conflicts! k/kustomize prune! prune-allowlist*
  R/recursive! l/selector server-side! show-managed-fields! show-secrets!
apply: all! allow-missing-template-keys! cascade dry-run field-manager f/filename* force!
  force-conflicts! grace-period# k/kustomize openapi-patch! o/output overwrite! prune!
  prune-allowlist* R/recursive! l/selector server-side! show-managed-fields! subresource template
  timeout~ validate wait! record!
apply.edit-last-applied: allow-missing-template-keys! field-manager f/filename* k/kustomize
  o/output R/recursive! show-managed-fields! template validate windows-line-endings! record!
apply.set-last-applied: allow-missing-template-keys! create-annotation! dry-run f/filename*
  o/output show-managed-fields! template
apply.view-last-applied: all! f/filename* k/kustomize o/output R/recursive! l/selector
patch: allow-missing-template-keys! dry-run field-manager f/filename* k/kustomize local! o/output
  p/patch patch-file R/recursive! show-managed-fields! subresource template type record!
replace: allow-missing-template-keys! cascade dry-run field-manager f/filename* force!
  grace-period# k/kustomize o/output raw R/recursive! save-config! show-managed-fields!
  subresource template timeout~ validate wait!
wait: all! A/all-namespaces! allow-missing-template-keys! field-selector f/filename* for* local!
  o/output R/recursive! l/selector show-managed-fields! template timeout~
kustomize: as-current-user! enable-alpha-plugins! enable-helm! e/env* helm-api-versions*
  helm-command helm-debug! helm-kube-version load-restrictor mount* network! network-name o/output
label: all! A/all-namespaces! allow-missing-template-keys! dry-run field-manager field-selector
  f/filename* k/kustomize list! local! o/output overwrite! R/recursive! resource-version
  l/selector show-managed-fields! template record!
annotate: all! A/all-namespaces! allow-missing-template-keys! dry-run field-manager field-selector
  f/filename* k/kustomize list! local! o/output overwrite! R/recursive! resource-version
  l/selector show-managed-fields! template record!
api-resources: api-group cached! categories* namespaced! no-headers! o/output show-managed-fields!
  sort-by verbs*
api-versions:
config:
config.current-context:
config.delete-cluster:
config.delete-context:
config.delete-user:
config.get-clusters:
config.get-contexts: no-headers! o/output
config.get-users:
config.rename-context:
config.set: set-raw-bytes!
config.set-cluster: certificate-authority embed-certs! insecure-skip-tls-verify! proxy-url server
  tls-server-name
config.set-context: cluster current! n/namespace user
config.set-credentials: auth-provider auth-provider-arg* client-certificate client-key
  embed-certs! exec-api-version exec-arg* exec-command exec-env* exec-interactive-mode
  exec-provide-cluster-info! password token username
config.unset:
config.use-context:
config.view: allow-missing-template-keys! flatten! merge! minify! o/output raw!
  show-managed-fields! template
version: client! o/output
"""

# Those of every command.
GLOBAL = """
as as-group* as-uid as-user-extra* cache-dir certificate-authority client-certificate client-key
  cluster context disable-compression! insecure-skip-tls-verify! kubeconfig kuberc
  log-flush-frequency~ match-server-version! n/namespace password profile profile-output proxy-url
  request-timeout s/server tls-server-name token user username v/v# vmodule warnings-as-errors!
"""

# The commands of the first level in the order in which suggestions name them.
ORDER = """
create expose run set explain get edit delete rollout scale autoscale certificate cluster-info top
cordon uncordon drain taint describe logs attach exec port-forward proxy cp auth debug events diff
apply patch replace wait kustomize label annotate completion config plugin version api-versions
api-resources options kuberc
"""
