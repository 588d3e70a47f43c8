// Asks for data every two seconds and shows it; keeps what the reader has chosen.

import { drawCharts } from "./charts.js";
import { byId, clock, html, short, show } from "./dom.js";
import { drawGraph } from "./graph.js";
import { drawAlerts, drawEvents, drawHeadline, drawLog, drawOrigins, drawPods, drawTruth } from "./panels.js";

const EVERY_MS = 2000;
// Rules are evaluated every half minute: alerts need not be asked for more often than this.
const ALERTS_EVERY_MS = 10000;
// Events that say that somebody or something changed the system, beside all warnings.
const CHANGES = new Set(["ScalingReplicaSet", "Killing", "SuccessfulRescale", "NodeNotReady", "NodeReady"]);

const state = { workload: "", pod: null, container: "", paused: false, seen: {}, alertsAt: -Infinity, revealed: false };
// So many marks fit side by side into a chart.
const MARKS = 24;

async function ask(path, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  const answer = await fetch(`api/${path}${query ? `?${query}` : ""}`, { cache: "no-store" });
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.message);
  return content;
}

function window_s() {
  return Number(byId("window").value);
}

async function refresh() {
  const [overview, signals, alerts, pods, events] = await Promise.all([
    ask("overview"),
    ask("signals", { window: window_s(), workload: state.workload }),
    freshAlerts(),
    ask("pods"),
    ask("events", { window: window_s() }),
  ]);
  state.seen = { overview, signals, alerts, pods: pods.pods, events: events.events };
  if (!state.pod) state.pod = state.workload ? logWorth(state.workload) : suspect(pods.pods);
  draw();
  await refreshLog();
}

async function freshAlerts() {
  if (performance.now() - state.alertsAt < ALERTS_EVERY_MS) return state.seen.alerts;
  const { alerts } = await ask("alerts");
  state.alertsAt = performance.now();
  return alerts;
}

// The first log that is worth a look: of a pod that is not ready, if there is one.
function suspect(pods) {
  return pods.find((pod) => !pod.healthy) ?? null;
}

function logWorth(workload) {
  const mine = (state.seen.pods ?? []).filter((pod) => pod.workload === workload);
  return suspect(mine) ?? mine[0] ?? null;
}

function draw() {
  const { overview, signals, alerts, pods, events } = state.seen;
  if (!overview) return;
  byId("clock").textContent = `${clock(overview.now)} UTC`;
  byId("clock").dateTime = overview.time;
  drawHeadline(overview, alerts, pods, state.revealed);
  drawGraph(byId("graph"), overview, state.workload, chooseWorkload);
  drawOrigins(state.revealed ? overview.origins : []);
  byId("origins-card").hidden = !state.revealed;
  drawAlerts(alerts);
  byId("signals-of").textContent = state.workload ? `of ${state.workload}` : "of all users; saturation of the busiest process";
  byId("everything").hidden = !state.workload;
  const marks = marked(events, alerts, Math.max(signals.step_s, window_s() / MARKS), pods);
  drawCharts(byId("charts"), signals, marks);
  show(byId("marks"), [marks.length > 0], () => (marks.length ? "▲ warning event   ■ something was changed   ◆ alert began to fire" : ""));
  drawPods(pods, state.pod && `${state.pod.namespace}/${state.pod.name}`, state.workload, choosePod);
  drawEvents(events, state.workload, pods);
}

// One mark for all of a kind that would stand on each other: the chart tells when something began.
function marked(events, alerts, apart_s, pods) {
  const names = new Set(pods.filter((pod) => pod.workload === state.workload).map((pod) => `pod/${pod.name}`));
  const mine = (event) => !state.workload || names.has(event.object) || event.object.endsWith(`/${short(state.workload)}`);
  const found = new Map();
  const add = (at, kind, text) => {
    const key = `${kind} ${Math.floor(at / apart_s)}`;
    if (found.has(key)) found.get(key).text += `; ${text}`;
    else found.set(key, { at, kind, text });
  };
  for (const event of [...events].reverse()) {
    if (!mine(event)) continue;
    if (event.type === "Warning") add(event.first, "warning", `${event.reason} ${event.object}`);
    else if (CHANGES.has(event.reason)) add(event.first, "change", `${event.reason} ${event.object}`);
  }
  for (const alert of alerts) if (alert.state === "firing") add(alert.since, "alert", alert.name);
  return [...found.values()].sort((one, other) => one.at - other.at);
}

async function refreshLog() {
  const pod = state.pod;
  byId("container-label").hidden = !pod || pod.containers.length < 2;
  if (!pod) {
    drawLog(null, "Choose a pod in the table, or a service in the graph.");
    return;
  }
  const container = pod.containers.includes(state.container) ? state.container : pod.containers[0];
  show(byId("container"), [pod.containers, container], () => pod.containers.map((name) => html("option", { value: name, selected: name === container }, name)));
  byId("logs-of").textContent = `of ${pod.name}`;
  try {
    drawLog(await ask("logs", { namespace: pod.namespace, pod: pod.name, container, tail: 200 }));
  } catch (error) {
    drawLog(null, error.message);
  }
}

function chooseWorkload(id) {
  state.workload = state.workload === id ? "" : id;
  state.pod = logWorth(state.workload) ?? state.pod;
  byId("charts").dataset.held = "false";
  turn();
}

function choosePod(pod) {
  state.pod = pod;
  state.container = "";
  draw();
  refreshLog();
}

let running = false;
async function turn() {
  if (running) return;
  running = true;
  try {
    await refresh();
    byId("headline").classList.remove("stale");
  } catch (error) {
    byId("headline").classList.add("stale");
    byId("clock").textContent = `no answer: ${error.message}`;
  }
  running = false;
}

// What is known elsewhere: the part of this page's address behind the `#` may name a place of this machine to ask.
async function askForTruth() {
  const place = new URLSearchParams(location.hash.slice(1)).get("reveal");
  if (!place || !/^http:\/\/127\.0\.0\.1:\d+\/[\w-]+$/.test(place)) return;
  try {
    drawTruth(await (await fetch(place, { cache: "no-store" })).json());
    state.revealed = true;
    draw();
  } catch {
    // The place is gone: the page is complete without.
  }
}

function useTheme(name) {
  document.documentElement.dataset.theme = name;
  byId("theme").textContent = name === "dark" ? "Light" : "Dark";
}

byId("window").addEventListener("change", turn);
addEventListener("resize", draw);
byId("container").addEventListener("change", (event) => {
  state.container = event.target.value;
  refreshLog();
});
byId("everything").addEventListener("click", () => chooseWorkload(state.workload));
byId("pause").addEventListener("click", () => {
  state.paused = !state.paused;
  byId("pause").textContent = state.paused ? "Go on" : "Pause";
  byId("pause").setAttribute("aria-pressed", String(state.paused));
});
byId("theme").addEventListener("click", () => useTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && state.workload) chooseWorkload(state.workload);
});

const wishes = new URLSearchParams(location.search);
useTheme(wishes.get("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
state.workload = wishes.get("workload") ?? "";
askForTruth();
turn();
setInterval(() => {
  if (!state.paused && !document.hidden) turn();
}, EVERY_MS);
