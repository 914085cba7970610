import type { AnyRoute, RegisteredRouter } from '@tanstack/react-router'

/** Loads the code of the first page while the session request is pending. */
export function preloadPage(router: RegisteredRouter): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    void preloadCode(router, router.routesById[routeId as keyof RegisteredRouter['routesById']])
  }
}

/** Loads the code of other pages one at a time, so that other requests are not delayed. */
export async function preloadPages(router: RegisteredRouter, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await preloadCode(router, router.routesByPath[path as keyof RegisteredRouter['routesByPath']])
  }
}

async function preloadCode(router: RegisteredRouter, route: AnyRoute | undefined): Promise<void> {
  // Failures are reported when the user opens the page.
  if (route !== undefined) await router.loadRouteChunk(route)?.catch(() => undefined)
}
