package io.millrace.report.html;

import java.util.List;

/** Pieces of HTML. All data is passed through {@link #text}, so that none of it becomes markup. */
final class Html {
    private Html() {}

    /** Returns a text with its special characters escaped. */
    static String text(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.append(c);
            }
        }
        return escaped.toString();
    }

    /** Returns JSON for a script element, in which {@code </script>} would end the element even within quotes. */
    static String script(String json) {
        return json.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029");
    }

    /**
     * Returns a table of texts.
     *
     * @param mark the index of the row that stands out; -1 for none
     */
    static String table(List<String> headings, List<List<String>> rows, int mark) {
        StringBuilder table = new StringBuilder("<div class=\"scroll\"><table><thead><tr>");
        headings.forEach(heading -> table.append("<th>").append(text(heading)).append("</th>"));
        table.append("</tr></thead><tbody>");
        for (int i = 0; i < rows.size(); i++) {
            table.append(i == mark ? "<tr class=\"mark\">" : "<tr>");
            rows.get(i).forEach(cell -> table.append("<td>").append(text(cell)).append("</td>"));
            table.append("</tr>");
        }
        return table.append("</tbody></table></div>").toString();
    }

    /** Returns a section with a heading. */
    static String section(String id, String heading, String... content) {
        return "<section id=\"" + id + "\"><h2>" + text(heading) + "</h2>" + String.join("", content) + "</section>\n";
    }

    /** Returns a paragraph. */
    static String note(String text) {
        return "<p class=\"note\">" + text(text) + "</p>";
    }

    /** Returns the empty element of a chart, which the script fills. */
    static String chart(String name, String description) {
        return "<div class=\"chart\" id=\"chart-" + name + "\" role=\"img\" aria-label=\"" + text(description)
                + "\"></div>";
    }
}
