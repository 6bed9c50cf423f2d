// Builds and updates elements. Text from outside becomes text nodes and attributes only, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. Functions, Booleans, `value` and `style` (an object) become properties, the rest attributes. */
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

/** An SVG element. */
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

function fill(element, props, children) {
  element.kept = props ?? {};
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false && child !== "") element.append(child);
  }
  for (const [name, value] of Object.entries(element.kept)) {
    if (value === null || value === undefined) continue;
    if (isProperty(name, value)) assign(element, name, value);
    else element.setAttribute(name, value);
  }
  return element;
}

const isProperty = (name, value) =>
  typeof value === "function" || typeof value === "boolean" || name === "value" || name === "style";

function assign(element, name, value) {
  if (name === "style") {
    for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
  } else if (element[name] !== value) {
    element[name] = value;
  }
}

/**
 * Turns `old` into `fresh` and keeps elements, focus and scroll position where possible.
 *
 * Children with `data-key` are matched by it, others by order. Children of an element with `data-own` are left alone.
 */
export function morph(old, fresh) {
  const isSame = old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && keyOf(old) === keyOf(fresh);
  if (!isSame) return old.replaceWith(fresh);
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (name !== "style" && name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  if (!fresh.hasAttribute("data-own")) morphChildren(old, fresh);
  const kept = fresh.kept ?? {};
  for (const name of Object.keys(old.kept ?? {})) {
    if (!(name in kept) && typeof old.kept[name] === "function") old[name] = null;
  }
  for (const [name, value] of Object.entries(kept)) {
    const isTyped = document.activeElement === old && (name === "value" || name === "checked");
    if (value !== null && value !== undefined && isProperty(name, value) && !isTyped) assign(old, name, value);
  }
  old.kept = kept;
}

const keyOf = (node) => node.dataset?.key;

function morphChildren(old, fresh) {
  const keyed = new Map();
  const plain = [];
  for (const child of old.childNodes) keyOf(child) === undefined ? plain.push(child) : keyed.set(keyOf(child), child);
  let next = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const key = keyOf(node);
    const match = key === undefined ? plain.shift() : keyed.get(key);
    if (key !== undefined) keyed.delete(key);
    if (!match) {
      old.insertBefore(node, next);
      continue;
    }
    if (match === next) next = next.nextSibling;
    else old.insertBefore(match, next);
    morph(match, node);
  }
  for (const child of [...plain, ...keyed.values()]) child.remove();
}

/** Turns the children of `root` into `children`, element by element. */
export const show = (root, ...children) => morphChildren(root, fill(document.createElement("div"), null, children));
