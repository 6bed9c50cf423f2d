// Faults of the layout that a person would see: sideways scrolling, cut text, small targets.
const problems = [];
const name = (element) => {
  const text = (element.textContent || element.getAttribute("aria-label") || "").trim().slice(0, 40);
  return `<${element.localName} class="${element.getAttribute("class") ?? ""}"> ${text}`;
};
const isShown = (element) => {
  const style = getComputedStyle(element);
  return style.visibility !== "hidden" && style.display !== "none" && element.getClientRects().length > 0;
};
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width) problems.push(`the page is ${document.documentElement.scrollWidth} wide`);

const scrolls = ".scroll, .days-strip, .console, .map-box, .scale, .spoken, .skip, pre, .track";
for (const element of document.querySelectorAll("#page *, dialog *")) {
  if (element.closest(scrolls) || element.closest("svg") || !isShown(element)) continue;
  const area = element.getBoundingClientRect();
  const isOutside = area.width > 0 && (area.right > width + 1 || area.left < -1);
  if (isOutside) problems.push(`outside: ${name(element)}`);
  const style = getComputedStyle(element);
  const isCut = (style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1)
    || (style.overflowY === "hidden" && element.scrollHeight > element.clientHeight + 2);
  if (isCut && !element.matches("select, input, textarea")) {
    problems.push(`cut: ${name(element)}`);
  }
}

const controls = "a[href], button, select, input, textarea, summary, [role=slider], [role=switch]";
for (const element of document.querySelectorAll(controls)) {
  if (!isShown(element) || element.closest(".skip") || element.closest("p") && !element.className) continue;
  const target = element.matches("[type=checkbox], [type=radio]") ? element.closest("label") : element;
  const area = target.getBoundingClientRect();
  if (area.width < 43.5 || area.height < 43.5) {
    problems.push(`${Math.round(area.width)}×${Math.round(area.height)}: ${name(element)}`);
  }
}
return problems;
