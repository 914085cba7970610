import { Page } from '../../components/page.tsx'

export function KnowledgeBaseScreen() {
  return <Page title="KnowledgeBaseScreen">…</Page>
}
