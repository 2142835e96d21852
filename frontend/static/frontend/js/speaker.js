// The service worker that shows what the table wants of somebody: phones let no page do so by itself. It keeps nothing
// and answers no request; a tap on what it showed leads to the table, in a page that is open there already if one is.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

async function lead(to) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = pages.find((page) => page.url.split(/[?#]/)[0] === to) ?? null;
  return open ? open.focus() : self.clients.openWindow(to);
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(lead(event.notification.data));
});
