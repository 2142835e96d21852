// The grid: pan, zoom, a square or somebody chosen by tap or by keys, distances measured, and what can be done there.
const SQUARE = 10;
const SLIP = 7; // pixels a finger may slip and still tap
const LEAST = 4; // squares across at the nearest
const MARGIN = 0.5; // squares around those who stand outermost
const THUMB = 32; // pixels a square has at least at first, so that a finger finds it and its sign is read
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
// What is chosen on the board itself; it outlives the swaps of a live page.
const kept = { cell: null, token: null, view: null, range: "" };

const size = (map) => [Number(map.dataset.width), Number(map.dataset.height)];
const tokens = (map) => [...map.querySelectorAll("[data-token]")];
const tokenAt = (map, [x, y]) => tokens(map).find((one) => Number(one.dataset.x) === x && Number(one.dataset.y) === y);
const cellOf = (token) => [Number(token.dataset.x), Number(token.dataset.y)];

function units(map, one, two) {
  const [dx, dy] = [Math.abs(one[0] - two[0]), Math.abs(one[1] - two[1])];
  const [far, near] = dx > dy ? [dx, dy] : [dy, dx];
  return map.dataset.diagonal === "alternating" ? far + Math.floor(near / 2) : far;
}

const far = (map, count) => `${count} ${count === 1 ? map.dataset.one : map.dataset.many}`;

class Grid {
  constructor(map) {
    this.map = map;
    this.svg = map.querySelector("svg");
    [this.width, this.height] = size(map);
    this.whole = [0, 0, this.width * SQUARE, this.height * SQUARE];
    this.live = map.dataset.pick === "board";
    this.view = (this.live && kept.view) || this.atFirst();
    this.cell = this.live ? kept.cell : chosenIn(map);
    this.pointers = new Map();
    this.svg.addEventListener("pointerdown", (event) => this.down(event));
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) this.svg.addEventListener(kind, (event) => this.up(event, kind));
    this.svg.addEventListener("wheel", (event) => event.ctrlKey && this.wheel(event), { passive: false });
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.range = map.querySelector("[data-range]");
    if (this.range) {
      this.range.value = kept.range;
      this.range.addEventListener("input", () => {
        kept.range = this.range.value;
        this.reach();
      });
    }
    for (const button of map.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => this.zoomBy(button.dataset.zoom));
    this.draw();
  }

  // The whole grid where its squares are large enough; else everybody who stands on it, however small that makes them,
  // and so much around them that squares are no larger than need be.
  atFirst() {
    const width = this.svg.clientWidth || window.innerWidth;
    const room = Math.max(LEAST, width / THUMB) * SQUARE;
    if (room >= this.whole[2]) return [...this.whole];
    const [low, high] = this.spanned();
    const across = Math.min(this.whole[2], Math.max(room, high[0] - low[0]));
    const down = Math.min(this.whole[3], Math.max(Math.min(across, this.whole[3]), high[1] - low[1]));
    const start = [across, down].map((size_, axis) => Math.min(Math.max(0, (low[axis] + high[axis] - size_) / 2), this.whole[axis + 2] - size_));
    return [...start, across, down];
  }

  // From where to where somebody stands, with a margin.
  spanned() {
    const all = tokens(this.map).map((one) => [cellOf(one), Number(one.dataset.size ?? 1)]);
    if (!all.length) return [[0, 0], [0, 0]];
    const low = [0, 1].map((axis) => Math.min(...all.map(([cell]) => cell[axis])) - MARGIN);
    const high = [0, 1].map((axis) => Math.max(...all.map(([cell, size_]) => cell[axis] + size_)) + MARGIN);
    return [low.map((n) => n * SQUARE), high.map((n) => n * SQUARE)];
  }

  draw() {
    this.svg.setAttribute("viewBox", this.view.map((n) => n.toFixed(2)).join(" "));
    // Words have the size that people read, however near the grid is.
    this.svg.style.setProperty("--per", (this.view[2] / (this.svg.clientWidth || 600)).toFixed(4));
    // A grid that is seen from top to bottom lets the page scroll under the finger.
    this.map.classList.toggle("map--near", this.view[3] < this.whole[3] - 0.1);
    this.map.classList.toggle("map--part", this.view[2] < this.whole[2] - 0.1);
    // What somebody chose to look at stays; until then the grid follows those who come.
    if (this.live && this.chosen) kept.view = this.view;
    this.show();
  }

  point(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [at.x, at.y];
  }

  zoom(factor, [px, py]) {
    this.chosen = true;
    const [x, y, w, h] = this.view;
    const across = Math.min(this.whole[2], Math.max(LEAST * SQUARE, w * factor));
    const real = across / w;
    const down = across < this.whole[2] ? Math.min(this.whole[3], h * real) : this.whole[3];
    this.view = [px - (px - x) * real, py - ((py - y) * down) / h, across, down];
    this.hold();
  }

  zoomBy(way) {
    this.chosen = true;
    if (way === "fit") this.view = [...this.whole];
    const at = this.cell ?? (this.acting() ? cellOf(this.acting()) : null);
    const middle = at && way === "in" ? at.map((n) => (n + 0.5) * SQUARE) : [this.view[0] + this.view[2] / 2, this.view[1] + this.view[3] / 2];
    if (way !== "fit") this.zoom(way === "in" ? 0.7 : 1 / 0.7, middle);
    else this.draw();
  }

  hold() {
    for (const axis of [0, 1]) {
      this.view[axis] = Math.min(Math.max(0, this.view[axis]), Math.max(0, this.whole[axis + 2] - this.view[axis + 2]));
    }
    this.draw();
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, this.point(event));
  }

  down(event) {
    this.pointers.set(event.pointerId, { start: [event.clientX, event.clientY], last: [event.clientX, event.clientY] });
    if (this.pointers.size === 1) this.slipped = false;
    this.spread = null;
    const token = event.target.closest?.("[data-drag]");
    this.held = this.live && token && this.pointers.size === 1 && event.button === 0 ? token : null;
  }

  // A token follows the finger; it stands elsewhere only when the table has been told so.
  drag(event) {
    if (!this.svg.hasPointerCapture(event.pointerId)) this.svg.setPointerCapture(event.pointerId);
    const at = this.point(event);
    this.carry(this.held, at.map((n) => Math.floor(n / SQUARE)), at);
  }

  carry(token, cell, [x, y]) {
    this.goal = this.inside(cell) ? cell : null;
    token.classList.add("token--held");
    token.dataset.home ??= token.getAttribute("transform");
    token.setAttribute("transform", `translate(${x} ${y})`);
    if (!this.goal) return;
    this.cell = cell;
    this.show(token);
    this.say(`${far(this.map, units(this.map, cellOf(token), cell))} from where ${token.dataset.name} stands`);
  }

  drop(token) {
    const [goal, start] = [this.goal, cellOf(token)];
    this.held = this.goal = null;
    token.classList.remove("token--held");
    if (token.dataset.home) token.setAttribute("transform", token.dataset.home);
    delete token.dataset.home;
    this.show();
    if (goal && (goal[0] !== start[0] || goal[1] !== start[1])) go(this.map, token, goal);
  }

  move(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    const now = [event.clientX, event.clientY];
    if (this.pointers.size === 2) this.pinch(event, now);
    else if (this.held && (this.slipped || Math.hypot(now[0] - pointer.start[0], now[1] - pointer.start[1]) > SLIP)) {
      this.slipped = true;
      this.drag(event);
    }
    else this.pan(pointer, now, event);
    pointer.last = now;
  }

  pan(pointer, now, event) {
    if (Math.hypot(now[0] - pointer.start[0], now[1] - pointer.start[1]) > SLIP) this.slipped = true;
    if (!this.slipped) return;
    if (!this.svg.hasPointerCapture(event.pointerId)) this.svg.setPointerCapture(event.pointerId);
    this.chosen = true;
    const scale = this.svg.getScreenCTM().a;
    this.view[0] -= (now[0] - pointer.last[0]) / scale;
    this.view[1] -= (now[1] - pointer.last[1]) / scale;
    this.hold();
  }

  pinch(event, now) {
    this.slipped = true;
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1].last;
    const spread = Math.hypot(now[0] - other[0], now[1] - other[1]);
    if (this.spread) {
      const middle = { clientX: (now[0] + other[0]) / 2, clientY: (now[1] + other[1]) / 2 };
      this.zoom(this.spread / spread, this.point(middle));
    }
    this.spread = spread;
  }

  up(event, kind) {
    const known = this.pointers.delete(event.pointerId);
    if (known && this.held && this.slipped) {
      if (kind === "pointercancel") this.goal = null;
      this.drop(this.held);
      return;
    }
    this.held = null;
    if (!known || kind === "pointercancel" || this.slipped) return;
    const cell = this.point(event).map((n) => Math.floor(n / SQUARE));
    if (this.inside(cell)) this.choose(cell);
  }

  inside([x, y]) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height;
  }

  key(event) {
    const step = KEYS[event.key];
    if (step) {
      const from = this.cell ?? (this.acting() ? cellOf(this.acting()) : [0, 0]);
      const to = [from[0] + step[0], from[1] + step[1]];
      if (this.inside(to) && this.lifted) this.carry(this.lifted, to, to.map((n) => (n + 0.5) * SQUARE));
      else if (this.inside(to)) this.point_at(to);
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.lifted) this.put();
      else if (this.cell) this.choose(this.cell);
    } else if (event.key === "m" && this.live) {
      this.lift();
    } else if (event.key === "Escape" && this.lifted) {
      this.goal = null;
      this.put();
    } else if (event.key === "+" || event.key === "=") this.zoomBy("in");
    else if (event.key === "-") this.zoomBy("out");
    else if (event.key === "0") this.zoomBy("fit");
    else return;
    event.preventDefault();
  }

  // By keys: m takes up whoever stands under the cursor, arrows carry them, Enter puts them down, Escape back.
  lift() {
    const token = this.cell ? tokenAt(this.map, this.cell) : this.acting();
    if (!token || !("drag" in token.dataset)) return;
    this.lifted = token;
    this.carry(token, cellOf(token), cellOf(token).map((n) => (n + 0.5) * SQUARE));
    this.say(`${token.dataset.name} is taken up. Arrows carry, Enter puts down.`);
  }

  put() {
    const token = this.lifted;
    this.lifted = null;
    this.drop(token);
  }

  acting() {
    return tokens(this.map).find((one) => one.dataset.token === this.map.dataset.acting);
  }

  // The cursor goes there; nothing is chosen yet.
  point_at(cell) {
    this.cell = cell;
    this.show();
    this.say(this.words());
  }

  choose(cell) {
    this.cell = cell;
    const token = tokenAt(this.map, cell);
    if (this.live) {
      kept.cell = cell;
      kept.token = token?.dataset.token ?? null;
    }
    this.show();
    this.say(this.words());
    this.map.dispatchEvent(new CustomEvent("map:choose", { bubbles: true, detail: { cell, token } }));
  }

  words() {
    const token = tokenAt(this.map, this.cell);
    const acting = this.acting();
    const said = token ? token.querySelector("title").textContent : `Column ${this.cell[0] + 1}, row ${this.cell[1] + 1}`;
    if (!acting || acting === token) return said;
    return `${said}. ${far(this.map, units(this.map, cellOf(acting), this.cell))} from ${acting.dataset.name}`;
  }

  say(text) {
    this.map.querySelector("[data-map-say]").textContent = text;
  }

  // All squares within so many units of whoever is chosen, else of whoever acts.
  reach() {
    const shape = this.svg.querySelector("[data-reach]");
    if (!shape) return;
    const reach = Number(kept.range);
    const from = (this.cell && tokenAt(this.map, this.cell)) || this.acting();
    let path = "";
    if (reach > 0 && from) {
      const start = cellOf(from);
      for (let y = 0; y < this.height; y++) {
        for (let x = 0; x < this.width; x++) {
          if (units(this.map, start, [x, y]) <= reach) path += `M${x * SQUARE} ${y * SQUARE}h${SQUARE}v${SQUARE}h-${SQUARE}z`;
        }
      }
    }
    shape.setAttribute("d", path);
  }

  show(from = this.acting()) {
    if (this.live) this.reach();
    const [cursor, ruler, measure] = ["cursor", "ruler", "measure"].map((name) => this.svg.querySelector(`[data-${name}]`));
    for (const mark of [cursor, ruler, measure]) mark.setAttribute("visibility", this.cell ? "visible" : "hidden");
    if (!this.cell) return;
    const [x, y] = this.cell.map((n) => n * SQUARE);
    cursor.setAttribute("x", x);
    cursor.setAttribute("y", y);
    const apart = from ? units(this.map, cellOf(from), this.cell) : 0;
    for (const mark of [ruler, measure]) mark.setAttribute("visibility", apart ? "visible" : "hidden");
    if (!apart) return;
    const [ax, ay] = cellOf(from).map((n) => (n + 0.5) * SQUARE);
    const ends = { x1: ax, y1: ay, x2: x + SQUARE / 2, y2: y + SQUARE / 2 };
    for (const [name, value] of Object.entries(ends)) ruler.setAttribute(name, value);
    measure.setAttribute("x", x + SQUARE / 2);
    measure.setAttribute("y", y > SQUARE ? y - 1.5 : y + SQUARE + 4.5);
    measure.textContent = apart;
  }
}

// The square that a form has already, so that it is seen again after a refusal.
function chosenIn(map) {
  const [x, y] = ["[data-place-x]", "[data-place-y]"].map((one) => Number(map.closest("form")?.querySelector(one)?.value));
  return x > 0 && y > 0 ? [x - 1, y - 1] : null;
}

function mount(root) {
  for (const map of root.querySelectorAll?.("[data-map]:not([data-mounted])") ?? []) {
    map.dataset.mounted = "";
    map.grid = new Grid(map);
  }
}

// On the board: a bar says what was chosen and what can be done there.
function showChosen() {
  const bar = document.querySelector("[data-chosen]");
  const map = document.querySelector("#b-map [data-map]");
  if (!bar) return;
  bar.hidden = !map || !kept.cell;
  if (bar.hidden) return;
  bar.querySelector("[data-chosen-says]").textContent = map.grid.words();
  const acts = bar.querySelector("[data-chosen-acts]");
  acts.replaceChildren(...fitting(), ...byHand(bar, map));
  window.htmx?.process(acts);
}

function button(text, to) {
  const link = document.createElement("a");
  link.className = "button button--small";
  link.textContent = text;
  link.href = to;
  link.setAttribute("hx-get", to);
  link.setAttribute("hx-target", "#dialog-body");
  return link;
}

// Whoever was put down somewhere: by the game master's hand, else by an action of theirs that goes to a place.
function go(map, token, [x, y]) {
  const [who, bar] = [token.dataset.token, document.querySelector("[data-chosen]")];
  const acts = [...document.querySelectorAll("[data-act][data-places='1']")].filter((act) => act.getAttribute("href").includes(`/act/${who}/`));
  const byHand = bar?.dataset.placeUrl;
  const to = byHand ? `${byHand}?x=${x + 1}&y=${y + 1}&who=${encodeURIComponent(who)}` : acts[0] && `${acts[0].getAttribute("href")}?x=${x + 1}&y=${y + 1}`;
  if (to) window.htmx?.ajax("GET", to, { target: "#dialog-body", source: map });
  else map.grid.say(`${token.dataset.name} cannot go there now.`);
}

function fitting() {
  const [x, y] = kept.cell.map((n) => n + 1);
  const query = kept.token ? `?on=${encodeURIComponent(kept.token)}&x=${x}&y=${y}` : `?x=${x}&y=${y}`;
  return [...document.querySelectorAll("[data-act]")]
    .filter((act) => (kept.token ? act.dataset.targets.split(" ").includes(kept.token) : act.dataset.places))
    .map((act) => button(act.dataset.title, act.getAttribute("href") + query));
}

function byHand(bar, map) {
  if (!bar.dataset.placeUrl) return [];
  const [x, y] = kept.cell.map((n) => n + 1);
  const lies = areasAt(map, kept.cell).map(({ dataset }) => button(`Take away: ${dataset.title}`, bar.dataset.liftUrl.replace("AREA", encodeURIComponent(dataset.area))));
  if (kept.token) return [button("Your hand", bar.dataset.handUrl.replace("SUBJECT", kept.token)), ...lies];
  const who = kept.last ?? map.dataset.acting;
  const put = button("Put somebody here", `${bar.dataset.placeUrl}?x=${x}&y=${y}&who=${encodeURIComponent(who)}`);
  return [put, button("Lay something here", `${bar.dataset.layUrl}?place-at-x=${x}&place-at-y=${y}`), ...lies];
}

function areasAt(map, cell) {
  const middle = new DOMPoint(...cell.map((n) => (n + 0.5) * SQUARE));
  return [...map.querySelectorAll("[data-area]")].filter((area) => area.querySelector("path").isPointInFill(middle));
}

function fill(root, [x, y]) {
  const place = root?.querySelector("[data-place]");
  if (!place) return;
  const [atX, atY] = wanted(root);
  atX.value = x + 1;
  atY.value = y + 1;
  if (atX.matches("[data-to-x]")) lengthen(root, [x, y]);
  atX.dispatchEvent(new Event("change", { bubbles: true }));
}

document.addEventListener("input", ({ target }) => {
  if (target.name === "size" && target.form?.matches("[data-act-form]")) target.dataset.typed = "";
});

// A line whose two ends were tapped reaches from the one to the other, unless its length was typed; what bars the way stands where it begins as well.
function lengthen(root, to) {
  const [map, size_] = [root.querySelector("[data-map]"), root.querySelector("[name=size]")];
  const from = ["[data-place-x]", "[data-place-y]"].map((one) => Number(root.querySelector(one).value) - 1);
  const bars = root.querySelector("#lay-card")?.selectedOptions[0]?.dataset.shape === "line";
  if (map && size_ && !("typed" in size_.dataset)) size_.value = Math.max(1, units(map, from, to) + (bars ? 1 : 0));
}

// What a tap fills in: where something begins; then, of a line, the way it runs; then where it begins again.
function wanted(root) {
  const [begin, end] = [["[data-place-x]", "[data-place-y]"], ["[data-to-x]", "[data-to-y]"]].map((both) => both.map((one) => root.querySelector(one)));
  if (!end[0] || !root.querySelector("[name=shape][value=line]:checked")) return begin;
  end[0].closest("details").open = true;
  if (begin[0].value && !end[0].value) return end;
  for (const field of end) field.value = "";
  return begin;
}

document.addEventListener("map:choose", ({ target, detail }) => {
  if (target.dataset.pick === "board") {
    if (detail.token) kept.last = detail.token.dataset.token;
    fill(document.getElementById("b-ask"), detail.cell);
    return showChosen();
  }
  const form = target.closest("form");
  const choice = detail.token && form?.querySelector(`[data-choose="${CSS.escape(detail.token.dataset.token)}"]`);
  if (choice) choice.click();
  fill(form, detail.cell);
});

// What an action would do, before any die falls: asked anew as the form changes.
let asking;
document.addEventListener("change", ({ target }) => {
  const form = target.closest?.("[data-act-form]");
  const said = form?.querySelector("[data-foresee]");
  if (!said || target.name === "faces") return;
  clearTimeout(asking);
  asking = setTimeout(async () => {
    const fields = new URLSearchParams([...new FormData(form)].filter(([name]) => !/^(csrf|command)/.test(name)));
    fields.set("foresee", "1");
    const answer = await fetch(`${said.dataset.foresee}?${fields}`).catch(() => null);
    if (!answer?.ok || !form.isConnected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const pick of ["#foreseen", "[data-foreseen]"]) {
      const [old, now] = [form.querySelector(pick), fresh.querySelector(`[data-act-form] ${pick}`)];
      if (old && now) old.replaceChildren(...document.importNode(now, true).childNodes);
    }
  }, 120);
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-chosen-away]")) return;
  kept.cell = kept.token = null;
  const grid = document.querySelector("#b-map [data-map]")?.grid;
  if (grid) {
    grid.cell = null;
    grid.show();
  }
  showChosen();
});

// Whoever's turn it is stands in sight in the order.
function turnInSight() {
  const list = document.querySelector(".order");
  const one = list?.querySelector(".fighter--turn");
  if (one) list.scrollTo({ left: one.offsetLeft - 16, top: one.offsetTop - 16, behavior: "instant" });
}

document.addEventListener("htmx:afterSwap", ({ target }) => mount(target));
document.addEventListener("tide:swapped", ({ detail }) => {
  mount(detail.node);
  if (detail.node.id === "b-order") turnInSight();
  if (detail.node.id === "b-map" || detail.node.id === "b-acts") showChosen();
});
mount(document);
turnInSight();

// What bars the way is laid as a line, until something else is chosen.
document.addEventListener("change", ({ target }) => {
  const shape = target.id === "lay-card" && target.selectedOptions[0]?.dataset.shape;
  const choice = shape && target.form?.querySelector(`[name=shape][value=${shape}]`);
  if (!choice || choice.checked) return;
  choice.checked = true;
  target.form.querySelector("#lay-line").open = shape === "line";
});
