import type { Page } from 'playwright-core'

/** Runs in a page: takes the time from an input to the frame that shows its outcome. */
const STOPWATCH = `
  globalThis.timeUntil = (event, isShown) => new Promise((resolve) => {
    addEventListener(event, () => {
      const startedAt = performance.now()
      // The frame after the one that was prepared with it is the first that people can have seen.
      const look = () => isShown() ? requestAnimationFrame(() => resolve(performance.now() - startedAt)) : requestAnimationFrame(look)
      requestAnimationFrame(look)
    }, { capture: true, once: true })
  })
  globalThis.isLoading = () => [...document.querySelectorAll('[role=status]')].some((status) => /^Loading/.test(status.textContent.trim()))
`

/** Takes the time from the next input of this kind until `isShown`, an expression of the page, holds. */
export async function startStopwatch(
  page: Page,
  event: 'click' | 'keydown',
  isShown: string,
): Promise<{ read(): Promise<number> }> {
  await page.evaluate(STOPWATCH)
  await page.evaluate(`globalThis.watched = timeUntil('${event}', () => ${isShown}); undefined`)
  return { read: () => page.evaluate<number>('watched') }
}

/** How long the first picture with anything in it took, from the beginning of the navigation. */
export function readFirstPaint(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
    }).observe({ type: 'paint', buffered: true })
  })`)
}
