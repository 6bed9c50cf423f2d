// Small choices of a person that stay in the browser. Without storage they last until the page is closed.

const session = {};

export function recall(name) {
  try {
    return localStorage.getItem(`outrider.${name}`) ?? session[name] ?? null;
  } catch {
    return session[name] ?? null;
  }
}

export function remember(name, value) {
  session[name] = value;
  try {
    localStorage.setItem(`outrider.${name}`, value);
  } catch {
    // Storage is full or forbidden.
  }
}
