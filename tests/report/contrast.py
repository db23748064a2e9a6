"""How well a text stands out from what is behind it, as WCAG 2 counts it."""

CONTRAST = """(selector) => {
  const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const light = (colour) => {
    paint.fillStyle = colour; // any notation, color-mix too
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  };
  const node = document.querySelector(selector);
  let behind = node;
  while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
  const pair = [light(getComputedStyle(node).color), light(getComputedStyle(behind).backgroundColor)].sort();
  return (pair[1] + 0.05) / (pair[0] + 0.05);
}"""
"""JavaScript: (selector) => the ratio of the two luminances, 1 to 21; 4.5 can be read."""
