import type { Page } from 'playwright-core'

/** Page script that measures the time from an input to the frame that displays its result. */
const STOPWATCH = `
  globalThis.timeUntil = (event, isShown) => new Promise((resolve) => {
    addEventListener(event, () => {
      const startedAt = performance.now()
      // People see the result in the frame after the one that prepared it.
      const check = () => isShown() ? requestAnimationFrame(() => resolve(performance.now() - startedAt)) : requestAnimationFrame(check)
      requestAnimationFrame(check)
    }, { capture: true, once: true })
  })
  globalThis.isLoading = () => [...document.querySelectorAll('[role=status]')].some((status) => /^Loading/.test(status.textContent.trim()))
`

/** Starts measuring the time from the next input of this kind until `isShown`, an expression evaluated in the page, is true. */
export async function startStopwatch(
  page: Page,
  event: 'click' | 'keydown',
  isShown: string,
): Promise<{ read(): Promise<number> }> {
  await page.evaluate(STOPWATCH)
  await page.evaluate(`globalThis.watched = timeUntil('${event}', () => ${isShown}); undefined`)
  return { read: () => page.evaluate<number>('watched') }
}

/** Returns the time from the start of the navigation to the first contentful paint. */
export function readFirstPaint(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
    }).observe({ type: 'paint', buffered: true })
  })`)
}
