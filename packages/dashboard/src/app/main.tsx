import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startBrand } from '../lib/brand/brand.ts'
import { preferredLanguage, showLanguage } from '../lib/language.ts'
import { startTheme } from '../lib/theme.ts'
import { App } from './app.tsx'
import './styles.css'

startTheme()
startBrand()
const root = document.getElementById('root')
await showLanguage(preferredLanguage())
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
