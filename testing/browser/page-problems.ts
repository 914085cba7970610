import type { Page } from 'playwright-core'

/** Page script that checks the names of controls, the contrast of texts, and content overflow. */
const FIND_PROBLEMS = `(() => {
  const faults = []
  const isVisible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  const describe = (element) => element.tagName.toLowerCase() + (element.id ? '#' + element.id : '') + ' "' +
    (element.textContent ?? '').trim().slice(0, 30) + '"'

  for (const control of document.querySelectorAll('button, input, select, a[href]')) {
    if (!isVisible(control)) continue
    const name = control.getAttribute('aria-label') ?? (control.labels?.[0]?.textContent || control.textContent)
    if (!name.trim()) faults.push('no name: ' + describe(control))
    const { width, height } = control.getBoundingClientRect()
    if (width < 24 || height < 24) faults.push('too small: ' + describe(control))
  }

  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const readChannels = (color) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = color
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const getLuminance = ([red, green, blue]) => [red, green, blue]
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0)
  const findBackground = (element) => {
    for (let node = element; node; node = node.parentElement) {
      const background = readChannels(getComputedStyle(node).backgroundColor)
      if (background[3] === 255) return background
    }
    return [255, 255, 255]
  }
  const measureContrast = (first, second) => {
    const [light, dark] = [getLuminance(first), getLuminance(second)].sort((a, b) => b - a)
    return (light + 0.05) / (dark + 0.05)
  }
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())
    if (!hasText || !isVisible(element) || element.closest('noscript')) continue
    const ratio = measureContrast(readChannels(getComputedStyle(element).color), findBackground(element))
    if (ratio < 4.5) faults.push('contrast ' + ratio.toFixed(2) + ': ' + describe(element))
  }
  for (const field of document.querySelectorAll('input, select')) {
    if (!isVisible(field)) continue
    const background = findBackground(field.parentElement)
    const border = readChannels(getComputedStyle(field).borderTopColor)
    const mixed = border.slice(0, 3).map((value, index) => value * border[3] / 255 + background[index] * (1 - border[3] / 255))
    if (measureContrast(mixed, background) < 3) faults.push('border ' + measureContrast(mixed, background).toFixed(2) + ': ' + describe(field))
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the window')
  const headings = [...document.querySelectorAll('h1')].filter(isVisible)
  if (headings.length !== 1) faults.push(headings.length + ' headings of the first level')
  if (!document.documentElement.lang || !document.title) faults.push('no language or title')
  return faults
})()`

/** Returns accessibility problems for keyboard, screen reader and low-vision users, as far as they can be measured. */
export async function findPageProblems(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(FIND_PROBLEMS)
}
