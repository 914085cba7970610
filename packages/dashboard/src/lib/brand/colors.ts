/** Makes brand colors legible. WCAG 2.2 requires a contrast ratio of 4.5 for text. */

export interface Rgb {
  readonly red: number
  readonly green: number
  readonly blue: number
}

/** Slightly more than 4.5, because colors are rounded. */
const TEXT_CONTRAST = 4.6
const WHITE: Rgb = { red: 255, green: 255, blue: 255 }
const BLACK: Rgb = { red: 0, green: 0, blue: 0 }
const MIX_STEPS = 100

export function parseColor(text: string): Rgb | null {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text)
  if (match === null) return null
  const [red = 0, green = 0, blue = 0] = match.slice(1).map((hex) => Number.parseInt(hex, 16))
  return { red, green, blue }
}

export function formatColor({ red, green, blue }: Rgb): string {
  return `#${[red, green, blue].map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`
}

/** Returns the relative luminance, from 0 to 1 (WCAG 2.2, definition of "relative luminance"). */
function calculateLuminance({ red, green, blue }: Rgb): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) => {
    const level = channel / 255
    return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2). */
export function calculateContrast(first: Rgb, second: Rgb): number {
  const [dark = 0, light = 0] = [calculateLuminance(first), calculateLuminance(second)].sort(
    (left, right) => left - right,
  )
  return (light + 0.05) / (dark + 0.05)
}

function mixColors(from: Rgb, to: Rgb, ratio: number): Rgb {
  const mixChannel = (start: number, end: number): number => Math.round(start + (end - start) * ratio)
  return {
    red: mixChannel(from.red, to.red),
    green: mixChannel(from.green, to.green),
    blue: mixChannel(from.blue, to.blue),
  }
}

/** Returns white or black, depending on which has the higher contrast. The higher contrast always exceeds 4.5. */
export function getTextColor(background: Rgb): Rgb {
  return calculateContrast(WHITE, background) >= calculateContrast(BLACK, background) ? WHITE : BLACK
}

/** Returns the legible color nearest to `preferredColor`. The backgrounds must be all light or all dark. */
export function toLegibleColor(preferredColor: Rgb, backgrounds: readonly Rgb[]): Rgb {
  const isDarkBackground = backgrounds.every((background) => getTextColor(background) === WHITE)
  const textColor = isDarkBackground ? WHITE : BLACK
  for (let ratioStep = 0; ratioStep < MIX_STEPS; ratioStep += 1) {
    const color = mixColors(preferredColor, textColor, ratioStep / MIX_STEPS)
    if (backgrounds.every((background) => calculateContrast(color, background) >= TEXT_CONTRAST)) return color
  }
  return textColor
}
