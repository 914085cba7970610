import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startBrand } from '../lib/brand/brand.ts'
import { preferredLanguage, showLanguage } from '../lib/language.ts'
import { startTheme } from '../lib/theme.ts'
import { App, createClient } from './app.tsx'
import { preloadPage } from './preload.ts'
import { createAppRouter } from './router.tsx'
import './styles.css'

startTheme()
startBrand()
const client = createClient()
const router = createAppRouter(client)
preloadPage(router)
const root = document.getElementById('root')
await showLanguage(preferredLanguage())
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App client={client} router={router} />
    </StrictMode>,
  )
}
