// The test of a destination: it sends no record, and its result comes later.
import { T } from "./texts.js";
import { get, post } from "./api.js";
import { act, tell } from "./dialog.js";

const WAIT = 1000;
/** A test ends with the timeout of its destination, after the radio is up. */
const TRIES = 120;

/** Tests a destination and shows the result. Returns it, or null without one. */
export async function testDestination(event, name) {
  const begun = await act(event, () => post("test", undefined, { destination: name }), T.sends.testing);
  for (let tries = 0; begun && tries < TRIES; tries++) {
    await new Promise((resolve) => setTimeout(resolve, WAIT));
    const { results } = await get("test").catch(() => ({ results: [] }));
    const result = results.find((item) => item.id === begun.test);
    if (!result) continue;
    tell(result.sentence, result.ok ? "note" : "fault");
    return result;
  }
  if (begun) tell(T.sends.noResult, "fault");
  return null;
}
