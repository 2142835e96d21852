// The live feed. The page holds a cursor: the last event it knows. After any drop the feed resumes from it; an event
// that does not follow the cursor makes the page ask for what it missed. A push that is lost delays, it never loses.
//
// Mounted on an element with data-feed="/ws/..." and data-feed-cursor. Says what happens as events on the body:
//   tide:<type>   one per event, dots as hyphens (tide:test-rolled), detail = the event
//   tide:event    every event; tide:again an earlier event that reads differently now (struck out, or standing again)
//   tide:renew    names changed; tide:rights the viewer's role changed; tide:connection the state changed
const BACKOFF = [500, 1000, 2000, 4000, 8000, 15000, 30000];
const SILENCE = 70_000; // the server pings well within this; longer means the line is dead
const GREETING = 10_000; // a socket that opens and says nothing is no connection
const ANSWER = 4_000; // how long an ask may take before it is asked again
const LOST = 3; // asks in a row that brought nothing: start over from a fresh page
const MEMORY = 500; // cursors and early events kept, so that what comes twice counts once

export class Feed {
  constructor(url, cursor, { socket = WebSocket, random = Math.random } = {}) {
    this.url = url;
    this.cursor = cursor || null;
    this.role = null;
    this.tries = 0;
    this.asked = 0;
    this.askedAt = 0;
    this.seen = new Set();
    this.early = new Map();
    this.state = "connecting";
    this.Socket = socket;
    this.random = random;
  }

  start() {
    addEventListener("online", () => this.now());
    addEventListener("offline", () => this.lost());
    addEventListener("pagehide", () => this.stop());
    addEventListener("pageshow", (event) => event.persisted && this.now());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.check());
    this.connect();
    return this;
  }

  address() {
    const url = new URL(this.url, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    if (this.cursor) url.searchParams.set("cursor", this.cursor);
    return url;
  }

  connect() {
    clearTimeout(this.timer);
    if (!navigator.onLine) return this.show("offline");
    this.show(this.tries ? "reconnecting" : "connecting");
    const socket = (this.socket = new this.Socket(this.address()));
    socket.onmessage = (message) => socket === this.socket && this.hear(JSON.parse(message.data));
    socket.onclose = () => socket === this.socket && this.lost();
    this.watch(GREETING);
    return socket;
  }

  stop() {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  // At once, without waiting for the next try.
  now() {
    if (this.state === "ended" || this.state === "live") return;
    this.stop();
    this.connect();
  }

  // Back on this tab: a socket that died while the machine slept is found out now, not at the next ping.
  check() {
    if (this.state === "live" && this.socket?.readyState === 1) this.ask();
    else this.now();
  }

  lost() {
    this.stop();
    if (this.state === "ended") return;
    const step = BACKOFF[Math.min(this.tries, BACKOFF.length - 1)];
    this.tries += 1;
    this.show(navigator.onLine ? "reconnecting" : "offline");
    this.timer = setTimeout(() => this.connect(), step * (0.5 + this.random()));
  }

  watch(patience) {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.lost(), patience);
  }

  send(frame) {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(frame));
  }

  ask() {
    this.send({ kind: "resume", cursor: this.cursor });
  }

  hear(frame) {
    this.watch(SILENCE);
    if (frame.kind === "ping") this.send({ kind: "pong" });
    else if (frame.kind === "hello") this.greet(frame);
    else if (frame.kind === "event") this.take(frame);
    else if (frame.kind === "rights") this.rights(frame);
    else if (frame.kind === "resumed") this.cursor = frame.cursor ?? null;
    else if (frame.kind === "again") this.tell("tide:again", frame.event);
    else if (frame.kind === "renew") this.tell("tide:renew", {});
    else if (frame.kind === "reset") this.tell("tide:stale", {});
    else if (frame.kind === "bye") this.end(frame);
  }

  greet(frame) {
    this.tries = 0;
    this.asked = this.askedAt = 0;
    if (this.role && this.role !== frame.role) this.tell("tide:rights", frame);
    this.role = frame.role;
    // hello names the newest event. Whoever came with a cursor of their own is told what lies between ("resumed").
    if (!this.cursor) this.cursor = frame.cursor ?? null;
    this.show("live");
  }

  take(frame) {
    if (frame.cursor === this.cursor || this.seen.has(frame.cursor)) return;
    const follows = frame.follows ?? null;
    if (follows !== this.cursor) return this.keep(follows, frame);
    this.asked = 0;
    this.askedAt = 0;
    this.cursor = frame.cursor;
    this.seen.add(frame.cursor);
    if (this.seen.size > MEMORY) this.seen.delete(this.seen.values().next().value);
    const event = { ...frame.event, cursor: frame.cursor };
    this.tell(`tide:${event.type.replaceAll(/[._]/g, "-")}`, event);
    this.tell("tide:event", event);
    const next = this.early.get(this.cursor);
    this.early.delete(this.cursor);
    if (next) this.take(next);
  }

  // Something lies between: keep this one for its turn and ask for what is missing, once at a time.
  keep(follows, frame) {
    this.early.set(follows, frame);
    if (this.early.size > MEMORY) this.early.clear();
    if (Date.now() - this.askedAt < ANSWER) return;
    this.asked += 1;
    if (this.asked > LOST) return this.tell("tide:stale", {});
    this.askedAt = Date.now();
    this.ask();
  }

  rights(frame) {
    this.role = frame.role;
    // Another view has other cursors: what follows comes behind the one that is told here.
    if ("cursor" in frame) this.cursor = frame.cursor;
    this.seen.clear();
    this.early.clear();
    this.tell("tide:rights", frame);
  }

  end(frame) {
    this.show("ended");
    this.stop();
    this.tell("tide:bye", frame);
  }

  show(state) {
    if (state === this.state && this.shown) return;
    this.state = state;
    this.shown = true;
    this.tell("tide:connection", { state });
  }

  tell(name, detail) {
    document.body.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }
}

const WORDS = {
  connecting: "Connecting",
  live: "Live",
  reconnecting: "Reconnecting",
  offline: "Offline",
  ended: "Closed",
};

function showState({ detail: { state } }) {
  for (const node of document.querySelectorAll("[data-connection]")) {
    node.dataset.state = state;
    node.querySelector("[data-connection-word]").textContent = WORDS[state];
  }
  const adrift = document.querySelector("[data-adrift]");
  if (!adrift) return;
  clearTimeout(showState.timer);
  // A blink of the line is no news; half a minute of it is.
  if (state === "live" || state === "connecting") adrift.hidden = true;
  else showState.timer = setTimeout(() => (adrift.hidden = false), state === "offline" ? 0 : 6000);
}

async function refetchPage() {
  await window.htmx?.ajax("GET", location.href, { target: "#page", select: "#page", swap: "outerHTML" });
}

export function mountFeed() {
  const host = document.querySelector("[data-feed]");
  if (!host) return null;
  document.body.addEventListener("tide:connection", showState);
  document.body.addEventListener("tide:rights", refetchPage);
  document.body.addEventListener("tide:stale", () => location.reload());
  document.body.addEventListener("tide:bye", () => location.assign(host.dataset.feedLeft ?? "/"));
  const feed = new Feed(host.dataset.feed, host.dataset.feedCursor).start();
  host.addEventListener("click", (event) => event.target.closest("[data-reconnect]") && feed.now());
  return feed;
}
