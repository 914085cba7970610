/** Makes brand colors legible: WCAG 2.2 requires a contrast of 4.5 for text. */

export interface Rgb {
  readonly red: number
  readonly green: number
  readonly blue: number
}

/** A little more than 4.5, since colors are rounded. */
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

/** Relative luminance, 0 to 1 (WCAG 2.2, definition of "relative luminance"). */
function luminanceOf({ red, green, blue }: Rgb): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Contrast ratio of two colors, 1 to 21 (WCAG 2.2). */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((left, right) => left - right)
  return (light + 0.05) / (dark + 0.05)
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const between = (start: number, end: number): number => Math.round(start + (end - start) * share)
  return {
    red: between(from.red, to.red),
    green: between(from.green, to.green),
    blue: between(from.blue, to.blue),
  }
}

/** White or black, whichever has the higher contrast; one always exceeds 4.5. */
export function textColorOn(background: Rgb): Rgb {
  return contrastOf(WHITE, background) >= contrastOf(BLACK, background) ? WHITE : BLACK
}

/** The color nearest to `wanted` that is legible on all backgrounds, which are all light or all dark. */
export function legibleColor(wanted: Rgb, backgrounds: readonly Rgb[]): Rgb {
  const isOnDark = backgrounds.every((background) => textColorOn(background) === WHITE)
  const end = isOnDark ? WHITE : BLACK
  for (let step = 0; step < STEPS; step += 1) {
    const color = mix(wanted, end, step / STEPS)
    if (backgrounds.every((background) => contrastOf(color, background) >= TEXT_CONTRAST)) return color
  }
  return end
}
