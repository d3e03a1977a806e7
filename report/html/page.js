
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const tools = document.querySelector(".tools");

  const decode = (raw) => new TextDecoder().decode(Uint8Array.from(atob(raw), (c) => c.charCodeAt(0)));
  const put = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };
  for (const button of all(".copy")) {
    button.hidden = false;
  }
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".copy");
    if (!button) return;
    const pre = button.closest(".copyable").querySelector("pre");
    const label = button.textContent;
    const done = await put(pre.dataset.raw ? decode(pre.dataset.raw) : pre.textContent);
    button.textContent = done ? "Copied" : "Select and copy by hand";
    setTimeout(() => { button.textContent = label; }, 1600);
  });

  const opened = [];
  window.addEventListener("beforeprint", () => {
    for (const d of all(".finding > details:not([open]), .map:not([open])")) {
      d.open = true;
      opened.push(d);
    }
  });
  window.addEventListener("afterprint", () => {
    for (const d of opened.splice(0)) d.open = false;
  });
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const details = target && target.querySelector(":scope > details");
    if (details) details.open = true;
  };
  window.addEventListener("hashchange", reveal);
  reveal();

  if (!tools) return;
  tools.hidden = false;
  const sections = all(".component").map((section) => ({
    section,
    findings: all(".finding", section).map((node) => ({ node, text: null, data: node.dataset })),
    groups: all(".consequence", section).map((node) => ({ node, findings: all(".finding", node) })),
  }));
  const total = sections.reduce((n, s) => n + s.findings.length, 0);
  const choices = ["severity", "confidence", "rule"];

  const apply = () => {
    const words = $("q").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const s of sections) {
      let here = 0;
      const wanted = !$("component").value || s.section.dataset.component === $("component").value;
      for (const f of s.findings) {
        let ok = wanted && choices.every((c) => !$(c).value || f.data[c] === $(c).value);
        if (ok && words.length) {
          f.text ??= (s.section.querySelector("h3").textContent + " " + f.node.textContent).toLowerCase();
          ok = words.every((w) => f.text.includes(w));
        }
        f.node.hidden = !ok;
        if (ok) here++;
      }
      s.section.hidden = here === 0;
      for (const g of s.groups) g.node.hidden = g.findings.every((n) => n.hidden);
      shown += here;
    }
    $("shown").textContent = shown === total ? `${total} shown` : `${shown} of ${total} shown`;
    $("none").hidden = shown > 0;
  };
  let timer = 0;
  $("q").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, total > 500 ? 200 : 0);
  });
  for (const id of [...choices, "component"]) $(id).addEventListener("change", apply);

  const visible = () => sections.flatMap((s) => s.findings).map((f) => f.node).filter((n) => !n.hidden);
  const setAll = (open) => { for (const n of visible()) n.firstElementChild.open = open; };
  $("expand").addEventListener("click", () => setAll(true));
  $("collapse").addEventListener("click", () => setAll(false));

  let current = null;
  const move = (step) => {
    const list = visible();
    if (!list.length) return;
    const at = list.indexOf(current);
    const next = at < 0 ? (step > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + step, 0), list.length - 1);
    current?.classList.remove("current");
    current = list[next];
    current.classList.add("current");
    current.querySelector("summary").focus({ preventScroll: true });
    current.scrollIntoView({ block: "start" });
  };
  const clear = () => {
    $("q").value = "";
    for (const id of [...choices, "component"]) $(id).value = "";
    apply();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape") {
      clear();
      if (typing) event.target.blur();
      return;
    }
    if (typing) return;
    if (event.key === "/") { event.preventDefault(); $("q").focus(); }
    if (event.key === "j") move(1);
    if (event.key === "k") move(-1);
    if (event.key === "o" && current) current.firstElementChild.open = !current.firstElementChild.open;
  });
  apply();
})();
