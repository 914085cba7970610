import type { AnyRoute, RegisteredRouter } from '@tanstack/react-router'

/** Asks for the code of the page of the address, which otherwise waits until the server has said who is signed in. */
export function preloadPage(router: RegisteredRouter): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    void preloadCode(router, router.routesById[routeId as keyof RegisteredRouter['routesById']])
  }
}

/** Asks for the code of pages that may be opened next, one after the other, so that nothing else waits for long. */
export async function preloadPages(router: RegisteredRouter, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await preloadCode(router, router.routesByPath[path as keyof RegisteredRouter['routesByPath']])
  }
}

async function preloadCode(router: RegisteredRouter, route: AnyRoute | undefined): Promise<void> {
  // What fails here is asked for again, and then told, when the page is shown.
  if (route !== undefined) await router.loadRouteChunk(route)?.catch(() => undefined)
}
