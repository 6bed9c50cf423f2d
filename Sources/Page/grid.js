// A labelled metric grid as a layer of Leaflet: the map without a byte from the internet.

const WORLD = 40075016.68;
const SIZE = 256;

/** The step of the grid in metres: 1, 2 or 5 times a power of ten, about 90 pixels wide. */
export function stepFor(metresPerPixel) {
  const wanted = metresPerPixel * 90;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return Math.min(5e6, Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= wanted)));
}

const label = (metres) => (Math.abs(metres) >= 1000 ? `${metres / 1000} km` : `${metres} m`);

/** The layer. Labels are distances east and north of `origin`, [latitude, longitude]. */
export function gridLayer(L, origin) {
  const shrink = Math.cos((origin[0] * Math.PI) / 180) || 1;
  const east = (longitude) => (longitude / 360) * WORLD;
  const north = (latitude) => (Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) * WORLD) / (2 * Math.PI);
  const [x0, y0] = [east(origin[1]), north(origin[0])];
  const Grid = L.GridLayer.extend({
    createTile(coords) {
      const tile = document.createElement("canvas");
      const ratio = Math.min(2, window.devicePixelRatio || 1);
      tile.width = tile.height = SIZE * ratio;
      const pen = tile.getContext("2d");
      pen.scale(ratio, ratio);
      const style = getComputedStyle(document.documentElement);
      const perPixel = WORLD / (SIZE * 2 ** coords.z);
      const step = stepFor(perPixel * shrink);
      const wide = step / shrink;
      const left = coords.x * SIZE * perPixel - WORLD / 2 - x0;
      const top = WORLD / 2 - coords.y * SIZE * perPixel - y0;
      pen.font = "12px system-ui, sans-serif";
      const draw = (number, position, isVertical) => {
        pen.strokeStyle = style.getPropertyValue(number % 5 === 0 ? "--edge" : "--line");
        pen.lineWidth = number === 0 ? 1.6 : 1;
        pen.beginPath();
        isVertical ? (pen.moveTo(position, 0), pen.lineTo(position, SIZE)) : (pen.moveTo(0, position),
          pen.lineTo(SIZE, position));
        pen.stroke();
        if (number === 0) return;
        pen.fillStyle = style.getPropertyValue("--quiet");
        const side = isVertical ? (number < 0 ? "W" : "E") : number < 0 ? "S" : "N";
        const text = `${label(Math.abs(number * step))} ${side}`;
        isVertical ? pen.fillText(text, position + 4, 14) : pen.fillText(text, 4, position - 4);
      };
      for (let number = Math.ceil(left / wide); number * wide < left + SIZE * perPixel; number++) {
        draw(number, (number * wide - left) / perPixel, true);
      }
      for (let number = Math.floor(top / wide); number * wide > top - SIZE * perPixel; number--) {
        draw(number, (top - number * wide) / perPixel, false);
      }
      return tile;
    },
  });
  return new Grid({ minZoom: 0, maxZoom: 22, noWrap: true, zIndex: 1 });
}
