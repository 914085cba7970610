import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { startBrand } from '../lib/brand/brand.ts'
import { after } from '../lib/clock.ts'
import { preferredLanguage, showLanguage } from '../lib/language.ts'
import { startTheme } from '../lib/settings.ts'
import { App, createClient } from './app.tsx'
import { preloadPage } from './preload.ts'
import { createAppRouter } from './router.tsx'
import './styles.css'

/** So long the first picture waits for its page; then it shows what is still being read. */
const FIRST_PAGE_WAIT_MS = 300

/** Reads the page of the address. What fails or lasts longer than that is told by the router when it is on the page. */
async function readFirstPage(): Promise<void> {
  const patience = new Promise<void>((resolve) => void after(FIRST_PAGE_WAIT_MS, resolve))
  await Promise.race([router.load().catch(() => undefined), patience])
}

startTheme()
startBrand()
const client = createClient()
const router = createAppRouter(client)
preloadPage(router)
const root = document.getElementById('root')
await Promise.all([showLanguage(preferredLanguage()), readFirstPage()])
if (root !== null) {
  // Shell and page in one picture, drawn in slices between which the browser can answer: a first drawing is not cut otherwise.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <App client={client} router={router} />
      </StrictMode>,
    ),
  )
}
