// The service graph as SVG. Places come with the data; here they become pixels.

import { html, millis, number, percent, short, show, svg } from "./dom.js";

const WIDTH = 174, HEIGHT = 52, GAP_X = 76, GAP_Y = 14, MARGIN = 8, PODS = 12, NARROW = 640;
// So many characters of a box's two lines fit into it; its title says all of them.
const NAME = 17, DETAIL = 27;
const SIGNS = { healthy: "✓", degraded: "!", failing: "✗", idle: "·", unknown: "?" };
const WORDS = { healthy: "healthy", degraded: "degraded", failing: "failing", idle: "no requests", unknown: "not there" };

export function drawGraph(box, data, chosen, choose) {
  const nodes = data.nodes, edges = data.edges;
  const known = nodes.map(({ id, status, ready, desired, rate, success, place, p95_ms, missing_services }) => [id, status, ready, desired, rate, success, place, p95_ms, missing_services]);
  show(box, [known, edges, chosen, box.clientWidth < NARROW && box.clientWidth], () => (nodes.length ? picture(box, nodes, edges, chosen, choose) : html("p", { class: "none" }, "No workloads yet.")));
}

function picture(box, nodes, edges, chosen, choose) {
  const linked = nodes.filter((node) => node.place), alone = nodes.filter((node) => !node.place);
  const narrow = box.clientWidth < NARROW;
  const { where, width, bottom } = narrow ? stacked(linked, box.clientWidth) : sideBySide(linked);
  const top = bottom + (linked.length && alone.length ? 26 : 0);
  // Those without calls take all the room that there is, however few the others are.
  const room = Math.max(width, box.clientWidth);
  const perRow = Math.max(1, Math.floor((room - 2 * MARGIN + GAP_Y) / (WIDTH + GAP_Y)));
  const wide = Math.max(width, 2 * MARGIN + Math.min(alone.length, perRow) * (WIDTH + GAP_Y) - GAP_Y);
  alone.forEach((node, index) => {
    where.set(node.id, { x: MARGIN + (index % perRow) * (WIDTH + GAP_Y), y: top + Math.floor(index / perRow) * (HEIGHT + GAP_Y) });
  });
  const height = top + Math.ceil(alone.length / perRow) * (HEIGHT + GAP_Y) + MARGIN;
  const order = { idle: 0, healthy: 1, degraded: 2, failing: 3 };
  const drawn = [...edges].sort((one, other) => order[one.status] - order[other.status]);
  const view = svg("svg", { width: wide, height, viewBox: `0 0 ${wide} ${height}`, role: "group", "aria-label": "service graph" });
  // Shrinks to what can still be read, then scrolls.
  Object.assign(view.style, { width: "100%", height: "auto", maxWidth: `${wide}px`, minWidth: `${wide * 0.75}px` });
  view.append(svg("defs", {}, ["idle", "healthy", "degraded", "failing"].map(tip)));
  const join = narrow ? downwards : rightwards;
  for (const edge of drawn) view.append(line(edge, join(where.get(edge.source), where.get(edge.target))));
  if (linked.length && alone.length) {
    const text = svg("text", { x: MARGIN, y: top - 8, class: "detail" }, "No calls seen");
    view.append(svg("g", { class: "node idle" }, text));
  }
  for (const node of nodes) view.append(drawNode(node, where.get(node.id), node.id === chosen, choose));
  for (const edge of drawn) view.append(label(edge, join(where.get(edge.source), where.get(edge.target))));
  return view;
}

// Columns from left to right, each centred.
function sideBySide(linked) {
  const columns = Math.max(1, ...linked.map((node) => node.place[0] + 1));
  const sizes = Array.from({ length: columns }, (_, column) => linked.filter((node) => node.place[0] === column).length);
  const body = linked.length ? Math.max(...sizes) * (HEIGHT + GAP_Y) : 0;
  const where = new Map();
  for (const node of linked) {
    const [column, row] = node.place;
    const free = (body - sizes[column] * (HEIGHT + GAP_Y)) / (sizes[column] + 1);
    where.set(node.id, { x: MARGIN + column * (WIDTH + GAP_X), y: MARGIN + free * (row + 1) + row * (HEIGHT + GAP_Y) });
  }
  return { where, width: MARGIN * 2 + columns * WIDTH + (columns - 1) * GAP_X, bottom: MARGIN + body };
}

// Columns below each other, broken into as many rows as a narrow screen needs.
function stacked(linked, room) {
  const perRow = Math.max(1, Math.floor((room - 2 * MARGIN + GAP_Y) / (WIDTH + GAP_Y)));
  const width = Math.max(room, WIDTH + 2 * MARGIN);
  const where = new Map();
  let y = MARGIN;
  for (let column = 0; linked.some((node) => node.place[0] === column); column += 1) {
    const members = linked.filter((node) => node.place[0] === column).sort((one, other) => one.place[1] - other.place[1]);
    members.forEach((node, index) => {
      const inRow = Math.min(perRow, members.length - Math.floor(index / perRow) * perRow);
      const left = (width - inRow * WIDTH - (inRow - 1) * GAP_Y) / 2;
      where.set(node.id, { x: left + (index % perRow) * (WIDTH + GAP_Y), y: y + Math.floor(index / perRow) * (HEIGHT + GAP_Y) });
    });
    y += Math.ceil(members.length / perRow) * (HEIGHT + GAP_Y) + 26;
  }
  return { where, width, bottom: y };
}

function tip(status) {
  const shape = svg("path", { d: "M0 0 8 4 0 8z", class: `tip ${status}` });
  return svg("marker", { id: `tip-${status}`, viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, shape);
}

function rightwards(from, to) {
  const x1 = from.x + WIDTH, y1 = from.y + HEIGHT / 2, x2 = to.x, y2 = to.y + HEIGHT / 2;
  const bend = Math.max(28, Math.abs(x2 - x1) / 2);
  return { path: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`, x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 5 };
}

function downwards(from, to) {
  const x1 = from.x + WIDTH / 2, y1 = from.y + HEIGHT, x2 = to.x + WIDTH / 2, y2 = to.y;
  const bend = Math.max(18, Math.abs(y2 - y1) / 2);
  return { path: `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`, x: (x1 + x2) / 2, y: y2 - 12 };
}

function line(edge, { path }) {
  const title = svg("title", {}, described(edge));
  return svg("path", { d: path, class: `edge ${edge.status}`, "marker-end": `url(#tip-${edge.status})` }, title);
}

function described(edge) {
  const first = edge.errors.length ? `: ${edge.errors[0].words}` : "";
  return `${edge.source} calls ${edge.target}: ${number(edge.rate)}/s, ${percent(edge.success)} succeed${first}`;
}

function label(edge, { x, y }) {
  if (edge.status !== "failing" && edge.status !== "degraded") return "";
  const text = `${percent(1 - edge.success, 0)} fail`;
  return svg("text", { x, y, "text-anchor": "middle", class: `edge-label ${edge.status}` }, text);
}

function cut(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function brief(node) {
  if (node.role === "host") return "no such host known";
  if (node.missing_services.length) return `Service ${node.missing_services[0]} is missing`;
  if (node.desired && !node.ready) return `0 of ${node.desired} pods ready`;
  if (node.success === null) return node.role === "load" ? "sends nothing" : "no requests";
  return `${number(node.rate)}/s · ${percent(node.success)} · ${millis(node.p95_ms)}`;
}

function drawNode(node, { x, y }, chosen, choose) {
  const pods = `${node.ready} of ${node.desired} pods ready`;
  const words = `${node.id}: ${WORDS[node.status]}, ${pods}, ${number(node.rate)} requests a second, ${percent(node.success)} succeed, 95 % within ${millis(node.p95_ms)}${node.missing_services.map((one) => `, Service ${one} is missing`).join("")}`;
  const act = (event) => {
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(node.id);
  };
  const dots = Array.from({ length: Math.min(node.desired, PODS) }, (_, index) =>
    svg("circle", { cx: WIDTH - 14 - index * 11, cy: HEIGHT, r: 4.5, class: index < node.ready ? "pod" : "pod missing" }));
  // Its pods may be well: what is not there is the name by which others find them.
  const status = node.missing_services.length && node.status !== "failing" ? "unknown" : node.status;
  const look = `node ${status}${chosen ? " chosen" : ""}`;
  return svg(
    "g",
    { class: look, transform: `translate(${x} ${y})`, tabindex: 0, role: "button", "aria-pressed": String(chosen), "aria-label": words, "data-id": node.id, onclick: act, onkeydown: act },
    svg("title", {}, words),
    svg("rect", { class: "box", width: WIDTH, height: HEIGHT, rx: node.role === "store" ? 16 : 6 }),
    svg("text", { x: 10, y: 21, class: "sign" }, SIGNS[status]),
    svg("text", { x: 26, y: 21, class: "name" }, cut(short(node.id), NAME)),
    svg("text", { x: 10, y: 41, class: "detail" }, cut(brief(node), DETAIL)),
    dots,
  );
}
