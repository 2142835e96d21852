// Dice computed anew in the reader's own browser: the server is asked for seeds, counters and faces, and not believed.
const hex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const text = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function keyOf(seed) {
  return crypto.subtle.importKey("raw", hex(seed), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

// The face that a seed gives at a counter (a BigInt): numbers past the last whole multiple of the sides are drawn anew.
export async function face(key, counter, sides) {
  const limit = (1n << 64n) - ((1n << 64n) % BigInt(sides));
  for (let attempt = 0; ; attempt++) {
    const message = new DataView(new ArrayBuffer(12));
    message.setBigUint64(0, counter);
    message.setUint32(8, attempt);
    const number = new DataView(await crypto.subtle.sign("HMAC", key, message)).getBigUint64(0);
    if (number < limit) return Number(number % BigInt(sides)) + 1;
  }
}

async function wrong(told) {
  const { seed, draws } = told;
  const hash = text(await crypto.subtle.digest("SHA-256", hex(seed.seed)));
  if (hash !== seed.commitment) return "This is not the seed whose hash was promised.";
  const key = await keyOf(seed.seed);
  for (const draw of draws) {
    for (const [place, was] of draw.faces.entries()) {
      const counter = BigInt(draw.first) + BigInt(place);
      const right = await face(key, counter, draw.sides[place]);
      if (right !== was) return `The die at counter ${counter} shows ${was}; the seed gives ${right}.`;
    }
  }
  return "";
}

async function check(item) {
  const said = item.querySelector("[data-seed-said]");
  said.removeAttribute("data-tone");
  said.textContent = "Computing ...";
  const answer = await fetch(item.dataset.seedCheck).catch(() => null);
  if (!answer?.ok) {
    said.textContent = "The server did not answer; try again.";
    return;
  }
  const told = await answer.json();
  const fault = await wrong(told);
  const count = told.draws.reduce((sum, draw) => sum + draw.faces.length, 0);
  said.dataset.tone = fault ? "bad" : "good";
  said.textContent = fault || `In order: the seed is the promised one, and ${count === 1 ? "the one die" : `all ${count} dice`} that you see follow from it.`;
}

if (globalThis.crypto?.subtle) {
  for (const button of document.querySelectorAll("[data-seed-go]")) button.hidden = false;
  document.addEventListener("click", (event) => {
    const item = event.target.closest("[data-seed-go]")?.closest("[data-seed-check]");
    if (item) check(item);
  });
  const hand = document.querySelector("[data-seed-hand]");
  if (hand) hand.hidden = false;
  hand?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { seed, counter, sides } = hand.elements;
    const found = await face(await keyOf(seed.value), BigInt(counter.value), Number(sides.value));
    hand.querySelector("output").textContent = `The die shows ${found}.`;
  });
}
