// Notifications of the browser, where the site is served over HTTPS and it was wished for on this device: shown by the
// service worker, and by the page alone where a browser has none.
const WISHED = "tide-notify";
const CANNOT = "Browsers allow this only where a site is served over HTTPS.";
const DENIED = "This browser was told not to show notifications of this site. Its own settings can change that.";
const ON = "This browser tells you, also while you look at something else.";
const OFF = "This browser says nothing while you look at something else.";

const can = () => isSecureContext && "Notification" in window;
const wished = () => can() && Notification.permission === "granted" && localStorage.getItem(WISHED) === "yes";

async function speaker() {
  const script = document.querySelector("[data-speaker]")?.dataset.speaker;
  if (!script || !navigator.serviceWorker) return null;
  const registration = await navigator.serviceWorker.register(script);
  const starting = registration.installing ?? registration.waiting;
  if (!registration.active && starting) {
    await new Promise((done) => starting.addEventListener("statechange", () => starting.state === "activated" && done()));
  }
  return registration;
}

// Shown only while nobody looks at the page; ``to`` is where a tap leads.
export async function notify(said, to = location.href) {
  if (!document.hidden || !wished()) return;
  const about = { body: document.title.replace(/^● [^·]* · /, ""), tag: "tidebook", renotify: true, data: to.split(/[?#]/)[0] };
  const worker = await speaker().catch(() => null);
  if (worker) return worker.showNotification(said, about);
  const note = new Notification(said, about);
  note.onclick = () => focus();
}

async function press(button) {
  const stop = button.dataset.notify === "switch" && wished();
  const answer = stop ? "denied" : await Notification.requestPermission();
  localStorage.setItem(WISHED, answer === "granted" ? "yes" : "no");
  if (answer === "granted") speaker().catch(() => null);
  show();
}

// On the board the button stands only while it can be wished for; on the page of notices it turns it on and off.
function show() {
  const denied = can() && Notification.permission === "denied";
  for (const button of document.querySelectorAll("[data-notify]")) {
    const turns = button.dataset.notify === "switch";
    button.hidden = !can() || denied || (!turns && wished());
    if (turns) button.lastChild.textContent = wished() ? ` ${button.dataset.off}` : ` ${button.dataset.on}`;
  }
  for (const words of document.querySelectorAll("[data-notify-says]")) {
    words.textContent = !can() ? CANNOT : denied ? DENIED : wished() ? ON : OFF;
  }
}

export function offer() {
  for (const button of document.querySelectorAll("[data-notify]")) button.addEventListener("click", () => press(button));
  show();
}
