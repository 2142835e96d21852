// Light, dark, or as the system says. The choice is a cookie, so that the server draws the next page right at once.
const YEAR = 60 * 60 * 24 * 365;

function apply(theme) {
  const root = document.documentElement;
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  for (const option of document.querySelectorAll("[data-theme-switch] button")) {
    option.setAttribute("aria-pressed", String(option.value === theme));
  }
}

document.addEventListener("click", (event) => {
  const option = event.target.closest("[data-theme-switch] button");
  if (!option) return;
  event.preventDefault();
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `tide_theme=${option.value}; Path=/; Max-Age=${YEAR}; SameSite=Lax${secure}`;
  apply(option.value);
});
