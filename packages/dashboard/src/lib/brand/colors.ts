/** A color. Brand colors are made legible: WCAG 2.2 requires a contrast of 4.5 for text. */

export interface Rgb {
  readonly red: number
  readonly green: number
  readonly blue: number
}

/** Slightly more than 4.5, because colors are rounded. */
const TEXT_CONTRAST = 4.6
const WHITE: Rgb = { red: 255, green: 255, blue: 255 }
const BLACK: Rgb = { red: 0, green: 0, blue: 0 }
const STEPS = 100

export function parseColor(text: string): Rgb | null {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text)
  if (match === null) return null
  const [red = 0, green = 0, blue = 0] = match.slice(1).map((part) => Number.parseInt(part, 16))
  return { red, green, blue }
}

export function formatColor({ red, green, blue }: Rgb): string {
  return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

/** Returns the relative luminance, from 0 to 1 (WCAG 2.2, definition of "relative luminance"). */
function calculateLuminance({ red, green, blue }: Rgb): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2). */
export function calculateContrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [calculateLuminance(one), calculateLuminance(other)].sort((left, right) => left - right)
  return (light + 0.05) / (dark + 0.05)
}

function mixColors(from: Rgb, to: Rgb, share: number): Rgb {
  const mixChannel = (start: number, end: number): number => Math.round(start + (end - start) * share)
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

/** Returns the color nearest to `wanted` that is legible on all backgrounds, which are either all light or all dark. */
export function toLegibleColor(wanted: Rgb, backgrounds: readonly Rgb[]): Rgb {
  const isOnDark = backgrounds.every((background) => getTextColor(background) === WHITE)
  const end = isOnDark ? WHITE : BLACK
  for (let step = 0; step < STEPS; step += 1) {
    const color = mixColors(wanted, end, step / STEPS)
    if (backgrounds.every((background) => calculateContrast(color, background) >= TEXT_CONTRAST)) return color
  }
  return end
}
