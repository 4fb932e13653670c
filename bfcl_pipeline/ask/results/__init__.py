"""Result folders of the official tool: layout, forms of answers, import and export."""
