import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { startBrand } from '../lib/brand/brand.ts'
import { setTimer } from '../lib/clock.ts'
import { activateLanguage, getPreferredLanguage } from '../lib/language.ts'
import { startTheme } from '../lib/settings.ts'
import { App, createQueryClient } from './app.tsx'
import { preloadPage } from './preload.ts'
import { createAppRouter } from './router.tsx'
import './styles.css'

/** Maximum time that the first paint waits for its page. */
const FIRST_PAGE_WAIT_MS = 300

/** Loads the first page. The router reports failures once it renders. */
async function loadFirstPage(): Promise<void> {
  const timeout = new Promise<void>((resolve) => void setTimer(FIRST_PAGE_WAIT_MS, resolve))
  await Promise.race([router.load().catch(() => undefined), timeout])
}

startTheme()
startBrand()
const client = createQueryClient()
const router = createAppRouter(client)
preloadPage(router)
const root = document.getElementById('root')
await Promise.all([activateLanguage(getPreferredLanguage()), loadFirstPage()])
if (root !== null) {
  // In a transition, React yields to the browser between slices of the first render.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <App client={client} router={router} />
      </StrictMode>,
    ),
  )
}
