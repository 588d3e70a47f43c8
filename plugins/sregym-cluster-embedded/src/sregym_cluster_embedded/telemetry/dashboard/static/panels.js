// Everything on the page that is words: headline, origins, alerts, pods, logs, events, truth.

import { byId, clock, html, millis, number, percent, short, show } from "./dom.js";

const SERVED_WELL = 0.99, SERVED_BADLY = 0.9;

export function drawHeadline(overview, alerts, pods, revealed) {
  const firing = alerts.filter((alert) => alert.state === "firing");
  const down = pods.filter((pod) => !pod.healthy);
  const { rate, success, p95_ms } = overview.users;
  let status = "healthy", words = "Users are served";
  if (success === null) [status, words] = ["idle", "No user sends requests"];
  else if (success < SERVED_WELL) {
    status = success < SERVED_BADLY ? "failing" : "degraded";
    words = `${percent(1 - success)} of user requests fail`;
  } else if (firing.length || down.length) [status, words] = ["degraded", "Users are served, but not all is well"];
  const box = byId("headline");
  box.className = status;
  document.title = `${status === "healthy" ? "" : "● "}${words}`;
  const first = revealed ? overview.origins[0] : null;
  const key = [status, words, first, firing.length, down, rate, p95_ms];
  show(box, key, () => [
    html("div", { class: "words" }, html("strong", {}, words), reasons(first, down)),
    figure("of users served", percent(success), success === null || success >= SERVED_WELL ? "" : status),
    figure("requests", `${number(rate)}/s`),
    figure("95 % within", millis(p95_ms)),
    figure(firing.length === 1 ? "alert fires" : "alerts fire", String(firing.length), firing.length ? "failing" : ""),
    figure(down.length === 1 ? "pod not ready" : "pods not ready", String(down.length), down.length ? "failing" : ""),
  ]);
}

function reasons(first, down) {
  const lines = [];
  if (first) lines.push(html("p", {}, `${short(first.source)} → ${short(first.target)}: ${first.words}`));
  if (down.length) {
    const named = down.slice(0, 3).map((pod) => `${short(pod.workload)} (${pod.status}, ${pod.ready})`);
    const more = down.length > 3 ? ` and ${down.length - 3} more` : "";
    lines.push(html("p", {}, `Not ready: ${named.join(", ")}${more}`));
  }
  return lines;
}

function figure(name, value, status = "") {
  return html("div", { class: `figure ${status}` }, html("b", {}, value), html("span", {}, name));
}

export function drawOrigins(origins) {
  show(byId("origins"), origins, () =>
    origins.length
      ? origins.map((one) =>
          html(
            "div",
            { class: "item" },
            html("b", {}, `${short(one.source)} → ${short(one.target)}`),
            html("code", {}, one.words),
            html("span", {}, `${one.kind} · ${number(one.rate)}/s`),
          ),
        )
      : html("p", { class: "none" }, "No call fails of itself."),
  );
}

export function drawAlerts(alerts) {
  show(byId("alerts"), alerts, () =>
    alerts.length
      ? alerts.map((alert) =>
          html(
            "div",
            { class: `item ${alert.state}` },
            html("b", {}, alert.name),
            html("code", {}, alert.summary),
            html("span", { class: "labels" }, about(alert.labels)),
            html("span", {}, `${alert.state} since ${clock(alert.since)}${alert.severity ? ` · ${alert.severity}` : ""}`),
          ),
        )
      : html("p", { class: "none" }, "No alert waits or fires."),
  );
}

// What an alert is about: all labels but those that are shown elsewhere or are the same for all.
function about(labels) {
  const left = new Set(["alertname", "severity", "instance", "k8s_namespace_name"]);
  return Object.entries(labels).filter(([name]) => !left.has(name)).map(([name, value]) => `${name}=${value}`).join("  ");
}

export function drawPods(pods, chosen, workload, choose) {
  const rows = workload ? pods.filter((pod) => pod.workload === workload) : pods;
  const ordered = [...rows.filter((pod) => !pod.healthy), ...rows.filter((pod) => pod.healthy)];
  const heads = ["Pod", "Ready", "Status", "Restarts", "Age", "Node", "Namespace"];
  show(byId("pods"), [ordered, chosen], () =>
    table(heads, ordered.map((pod) => {
      const id = `${pod.namespace}/${pod.name}`;
      const button = html("button", { type: "button", "data-id": id, onclick: () => choose(pod) }, pod.name);
      const look = `${pod.healthy ? "" : "bad "}${id === chosen ? "chosen" : ""}`;
      const restarts = html("span", { title: pod.restarts }, pod.restarts.split(" ")[0]);
      return row(look, [button, pod.ready, pod.status, restarts, pod.age, pod.node, pod.namespace]);
    })),
  );
}

export function drawEvents(events, workload, pods) {
  const names = new Set(pods.filter((pod) => pod.workload === workload).map((pod) => `pod/${pod.name}`));
  const name = short(workload);
  const mine = events.filter((event) => !workload || names.has(event.object) || event.object.endsWith(`/${name}`));
  show(byId("events"), mine, () =>
    mine.length
      ? table(["Last seen", "Type", "Reason", "Object", "Message", "Count"], mine.map((event) =>
          row(event.type === "Warning" ? "bad" : "", [clock(event.last), event.type, event.reason, event.object, event.message, String(event.count)], 4)))
      : html("p", { class: "none" }, "No events in this window."),
  );
}

function table(heads, rows) {
  return html("table", {}, html("thead", {}, html("tr", {}, heads.map((head) => html("th", { scope: "col" }, head)))), html("tbody", {}, rows));
}

function row(look, cells, wide = -1) {
  return html("tr", { class: look.trim() || null }, cells.map((cell, index) => html("td", { class: index === wide ? "wide" : null }, cell)));
}

export function drawLog(log, problem) {
  const box = byId("logs");
  const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
  const known = log ? [log.pod, log.container, log.lines.length, log.lines.at(-1)] : problem;
  const changed = show(box, known, () => {
    if (!log) return html("p", { class: "none" }, problem);
    const last = log.lines.at(-1)?.life;
    return log.lines.map((line, index) => {
      const before = log.lines[index - 1];
      const restarted = before && before.life !== line.life ? html("hr", { title: "restarted" }) : "";
      return html("div", { class: line.life === last ? null : "old" }, restarted, line.text);
    });
  });
  if (changed && atEnd) box.scrollTop = box.scrollHeight;
}

export function drawTruth(truth) {
  byId("truth").hidden = false;
  show(byId("truth-body"), truth, () =>
    truth.causes.map((cause) =>
      html("div", { class: "item" }, html("p", {}, html("b", {}, cause.sentence)), html("details", {}, html("summary", {}, "Reference repair"), html("pre", {}, cause.fix.join("\n")))),
    ),
  );
}
